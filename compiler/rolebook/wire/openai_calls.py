"""The pieces of parallel tool calls in a Chat Completions stream, put together call by call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rolebook.json import compact
from rolebook.wire.call_ids import CallIds
from rolebook.wire.reading import string
from rolebook.wire.stream import ToolCall, tool_call


class CallPieces:
    """Collects the pieces of a stream's calls.

    OpenAI tells calls apart by `index`. Servers that leave it out, or give every call the same, are told apart by the
    ids of pieces that name a tool, and without ids by arguments that are already a complete object.
    """

    __slots__ = ("_calls", "_ids", "_newest")

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._newest: dict[int | str | None, _Call] = {}  # by index, and under None of all
        self._ids = CallIds()

    def add(self, piece: dict[str, Any]) -> None:
        """One entry of a delta's `tool_calls`; what has the wrong type counts as absent."""
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        id, name, arguments = (
            string(piece.get("id")),
            string(function.get("name")),
            _written(function.get("arguments")),
        )
        call = self._find(piece.get("index"), id, name, arguments)
        call.id = call.id or id
        call.add_name(name)
        if arguments:
            call.arguments.append(arguments)

    def complete(self) -> Iterator[ToolCall]:
        """The calls so far, each once, in the order in which they began; one without an id of its own gets `call_N`."""
        calls, self._calls = self._calls, []
        self._newest.clear()
        for call in calls:
            yield tool_call(self._ids.unique(call.id), call.name, "".join(call.arguments))

    def _find(self, index: object, id: str, name: str, arguments: str) -> _Call:
        """The newest call of the index, of all where the piece has none; a new one where the piece opens it."""
        key = index if isinstance(index, int | str) else None
        newest = self._newest.get(key)
        if newest is not None and not newest.is_followed_by(id, name, arguments):
            return newest
        call = _Call()
        self._calls.append(call)
        self._newest |= {None: call, key: call}
        return call


class _Call:
    """One call while its pieces arrive."""

    __slots__ = ("arguments", "id", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []

    def add_name(self, name: str) -> None:
        """A name comes once, again with every piece, grown, or in pieces before the arguments."""
        if name.startswith(self.name):
            self.name = name
        elif not self.arguments and not self.name.startswith(name):
            self.name += name

    def is_followed_by(self, id: str, name: str, arguments: str) -> bool:
        """Whether a piece belongs to a call after this one. Only a piece that names a tool can open one."""
        if not name:
            return False
        if id and self.id:
            return id != self.id
        if not arguments.strip() or not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        return _is_object("".join(self.arguments))


def _written(arguments: object) -> str:
    """Arguments as JSON text; Ollama has sent them as an object."""
    if not isinstance(arguments, dict):
        return string(arguments)
    try:
        return compact(arguments)
    except RecursionError:
        return "nested too deeply"  # no JSON, so the model is told


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
