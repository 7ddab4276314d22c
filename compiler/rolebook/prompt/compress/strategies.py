"""Where each strategy lets a conversation begin: the index of the first message that stays, at the start of a unit.

The newest unit stays whatever it costs. Each function gets at least one unit and looks at no more than what stays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from rolebook.definition.compressors import SlidingWindow, Summarize, TokenBudget, Truncate
from rolebook.prompt.compress.units import Unit
from rolebook.prompt.messages import Message


def truncate(units: Sequence[Unit], strategy: Truncate) -> int:
    """At most `max_messages` messages."""
    last = units[-1].end
    return _reach(units, lambda unit: last - unit.start <= strategy.max_messages)


def sliding_window(messages: Sequence[Message], units: Sequence[Unit], strategy: SlidingWindow) -> int:
    """The last `invocations` user turns. A unit belongs to the turn that it ends in.

    A summary stands for the turns before all others, whenever it was made, and counts as one of its own. Messages that
    don't tell their turn count as one.
    """
    turns: set[Hashable] = set()

    def fits(unit: Unit) -> bool:
        message = messages[unit.end - 1]
        turns.add(("summary", unit.end) if message.summary else ("turn", message.invocation))
        return len(turns) <= strategy.invocations

    return _reach(units, fits)


def summarize(units: Sequence[Unit], strategy: Summarize) -> int:
    """At least `keep_recent` messages; those before are for the summary."""
    return _reach(units, lambda unit: _is_recent(units, unit, strategy.keep_recent))


def token_budget(
    messages: Sequence[Message], units: Sequence[Unit], strategy: TokenBudget, left: int, cost: Callable[[Message], int]
) -> int:
    """At least `keep_recent` messages, and before them what fits into the `left` tokens, up to the first unit that
    doesn't."""

    def fits(unit: Unit) -> bool:
        nonlocal left
        left -= sum(cost(message) for message in messages[unit.start : unit.end])
        return left >= 0 or _is_recent(units, unit, strategy.keep_recent)

    return _reach(units, fits)


def _is_recent(units: Sequence[Unit], unit: Unit, keep_recent: int) -> bool:
    """Whether fewer than `keep_recent` messages stand behind the unit."""
    return units[-1].end - unit.end < keep_recent


def _reach(units: Sequence[Unit], fits: Callable[[Unit], bool]) -> int:
    """The start of what stays: the newest unit, and those before it up to the first that doesn't fit."""
    start = units[-1].start
    for unit in reversed(units):
        if not fits(unit):
            break
        start = unit.start
    return start
