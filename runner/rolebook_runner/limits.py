"""How far one user turn may go. A run that gets there is stopped with an error that names the limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from rolebook.json import JsonValue, compact
from rolebook_runner.errors import LimitReached


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one turn; times in seconds.

    A tool that takes longer than `max_tool_seconds`, or a provider function longer than `max_provider_seconds`, is
    given up; as any failing tool or provider it doesn't end the turn (spec §8, §3). The others end it, a callback that
    takes longer than `max_callback_seconds` too: it may be there to keep something from happening.
    `max_import_seconds` is what a module of the user's may take to be imported; the turn ends where an agent's tools or
    its schema can't be had without it.

    A tool's response of more than `max_result_chars` (code points of its JSON) is cut before the model gets it. What
    would make the session's state larger than `max_state_chars` ends the turn.
    """

    max_model_calls: int = 50
    max_transfers: int = 10
    max_tool_seconds: float = 60.0
    max_provider_seconds: float = 10.0
    max_callback_seconds: float = 30.0
    max_import_seconds: float = 60.0
    max_turn_seconds: float = 600.0
    max_result_chars: int = 100_000
    max_state_chars: int = 10_000_000


def limits_of(run: Mapping[str, JsonValue]) -> Limits:
    """The limits that `[run]` sets (`Config.run`, which is checked already)."""
    known = {field.name for field in fields(Limits)}
    given: dict[str, Any] = {name: value for name, value in run.items() if name in known}
    return Limits(**given)


class Spent:
    """What a turn has used up of its limits. All agents of the turn share one."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.model_calls = 0

    def model_call(self) -> None:
        """Counts one call of a model before it is made. Raises LimitReached instead of letting one too many go."""
        if self.model_calls >= self.limits.max_model_calls:
            raise LimitReached("max_model_calls", f"the turn was stopped after {self.model_calls} model calls")
        self.model_calls += 1

    def state(self, before: Mapping[str, JsonValue], written: Mapping[str, JsonValue]) -> None:
        """Judges what is about to be written to state. Raises LimitReached where that would make it too large."""
        if not written:
            return
        most = self.limits.max_state_chars
        size = sum(len(compact(value)) for value in {**before, **written}.values())
        if size > most:
            raise LimitReached("max_state_chars", f"the turn was stopped as its state grew to {size:,} characters")

    def transfer(self, in_a_row: int) -> None:
        """Judges the `in_a_row`th transfer without another tool call in between."""
        if in_a_row > self.limits.max_transfers:
            raise LimitReached("max_transfers", f"the turn was stopped after {in_a_row - 1} transfers in a row")
