"""Messages as units that no strategy may part: a call message, and all up to the message with its last response."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rolebook.prompt.events import FunctionCall, FunctionResponse, Part, TextPart
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
    turn, side = 0, ""
    for index, message in enumerate(messages):
        for part in message.parts:
            said_by = _side(message, part)
            if said_by is None:
                continue
            turn, side = turn + (said_by != side), said_by
            if isinstance(part, FunctionCall):
                waiting.add(part, turn, index)
            elif isinstance(part, FunctionResponse) and (asked := waiting.answer(part)) is not None:
                ends[asked] = index + 1
    return ends


def _side(message: Message, part: Part) -> str | None:
    """Whose turn the part belongs to; no one's where it is blank and no provider gets it."""
    match part:
        case FunctionCall():
            return "model"
        case FunctionResponse():
            return "user"
        case TextPart(text) if not text.strip():
            return None
    return message.role


class _Call:
    """A call without a response so far. `number` counts all calls."""

    def __init__(self, turn: int, number: int, index: int) -> None:
        self.turn, self.number, self.index = turn, number, index
        self.open = True


class _Waiting:
    """The open calls, so kept that a response finds its own without a search through all of them.

    A response belongs to a call as in `wire.repair`: by id, where either has none by name. Some servers count ids anew
    in each answer, so of several the newest turn's is meant, and within a turn the first.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[str | None, str | None], list[deque[_Call]]] = {}
        self._number = 0

    def add(self, call: FunctionCall, turn: int, index: int) -> None:
        self._number += 1
        made = _Call(turn, self._number, index)
        for key in ((call.id, call.name), (call.id, None), (None, call.name)):
            turns = self._calls.setdefault(key, [])
            if not turns or turns[-1][-1].turn != turn:
                turns.append(deque())
            turns[-1].append(made)

    def answer(self, response: FunctionResponse) -> int | None:
        """The index of the message whose call this response closes."""
        id, name = response.id, response.name
        if id:
            call = self._best([(id, name), ("", name)]) or self._best([(id, None)])
        else:
            call = self._best([(None, name)])
        if call is None:
            return None
        call.open = False
        return call.index

    def _best(self, keys: Iterable[tuple[str | None, str | None]]) -> _Call | None:
        calls = [call for key in keys if (call := self._first_of_newest_turn(key)) is not None]
        return max(calls, key=lambda call: (call.turn, -call.number), default=None)

    def _first_of_newest_turn(self, key: tuple[str | None, str | None]) -> _Call | None:
        turns = self._calls.get(key, [])
        while turns:
            while turns[-1] and not turns[-1][0].open:
                turns[-1].popleft()
            if turns[-1]:
                return turns[-1][0]
            turns.pop()
        return None
