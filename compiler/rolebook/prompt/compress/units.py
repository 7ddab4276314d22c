"""Messages as units that no strategy may part: a call message, and all up to the message with its last response."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rolebook.prompt.events import FunctionCall, FunctionResponse
from rolebook.prompt.messages import Message


class Unit(NamedTuple):
    """The messages from `start` up to but not `end`."""

    start: int
    end: int


def units(messages: Sequence[Message]) -> list[Unit]:
    """The messages cut into units, oldest first. Calls that wait for each other's responses are one unit."""
    ends = _ends(messages)
    found: list[Unit] = []
    start = end = 0
    for index, reach in enumerate(ends):
        if index == end and index > start:
            found.append(Unit(start, end))
            start = index
        end = max(end, reach)
    return [*found, Unit(start, end)] if ends else found


def _ends(messages: Sequence[Message]) -> list[int]:
    """For each message the index behind the last response to a call in it, or behind itself."""
    ends = list(range(1, len(messages) + 1))
    waiting = _Waiting()
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, FunctionCall):
                waiting.add(part, index)
            elif isinstance(part, FunctionResponse) and (asked := waiting.answer(part)) is not None:
                ends[asked] = index + 1
    return ends


class _Call:
    """A call without a response so far."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.open = True


class _Waiting:
    """The open calls, so kept that a response finds its own without a search through all of them.

    A response belongs to a call as in `wire.repair`: by id, where either has none by name; of several to the newest,
    since some servers count ids anew in each answer.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[str | None, str | None], list[_Call]] = {}

    def add(self, call: FunctionCall, index: int) -> None:
        made = _Call(index)
        for key in ((call.id, call.name), (call.id, None), (None, call.name)):
            self._calls.setdefault(key, []).append(made)

    def answer(self, response: FunctionResponse) -> int | None:
        """The index of the message whose call this response closes."""
        id, name = response.id, response.name
        if id:
            call = self._newest([(id, name), ("", name)]) or self._newest([(id, None)])
        else:
            call = self._newest([(None, name)])
        if call is None:
            return None
        call.open = False
        return call.index

    def _newest(self, keys: Iterable[tuple[str | None, str | None]]) -> _Call | None:
        newest: _Call | None = None
        for key in keys:
            calls = self._calls.get(key, [])
            while calls and not calls[-1].open:
                calls.pop()
            if calls and (newest is None or calls[-1].index > newest.index):
                newest = calls[-1]
        return newest
