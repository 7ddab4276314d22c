"""What ends a turn. Each message is one sentence for the user, without a key and without a traceback."""

from __future__ import annotations


class RunError(Exception):
    """The turn can't go on, and why."""


class LimitReached(RunError):
    """A limit stopped the turn; `limit` is its name, as it is set in `[run]`."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(f"{message} ({limit})")
        self.limit = limit
