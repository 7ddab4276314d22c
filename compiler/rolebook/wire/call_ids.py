"""Ids of tool calls that are unique in an answer, also where a server gives none or one twice."""

from __future__ import annotations


class CallIds:
    """The ids given so far, in the order of the calls."""

    __slots__ = ("_count", "_free", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._count = 0
        self._free = 0  # no number below it is free, so that none is tried twice

    def unique(self, id: str) -> str:
        """The id itself where it is one and new, else `call_N` with the number of the call."""
        self._count += 1
        number = max(self._count, self._free)
        while not id or id in self._taken:
            id = f"call_{number}"
            number += 1
            self._free = number
        self._taken.add(id)
        return id
