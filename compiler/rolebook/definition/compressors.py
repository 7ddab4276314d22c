"""The strategies of `context_compressor` as records (spec §5), each with its defaults."""

from __future__ import annotations

from typing import TypeAlias

from rolebook.record import Record


class Truncate(Record):
    """Keeps the last `max_messages` messages."""

    max_messages: int = 20
    threshold: int = 0


class SlidingWindow(Record):
    """Keeps the messages of the last `invocations` user turns."""

    invocations: int = 5
    threshold: int = 0


class Summarize(Record):
    """Keeps the last `keep_recent` messages and a summary of those before; `model` is the agent's where it is None."""

    keep_recent: int = 10
    summary_instruction: str | None = None
    model: str | None = None
    threshold: int = 0


class TokenBudget(Record):
    """Keeps what fits into `token_budget` tokens, counted by the model's tokenizer where `chars_per_token` is None."""

    token_budget: int
    keep_recent: int = 2
    chars_per_token: float | None = 4
    threshold: int = 0


Compressor: TypeAlias = Truncate | SlidingWindow | Summarize | TokenBudget
