"""Reading the parameters of a message: what is asked for, or an error that names what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from rolebook.text import Position
from rolebook_server.lsp.errors import INVALID_PARAMS, ReplyError

_LARGEST = (1 << 31) - 1
"""LSP's `uinteger`."""


class Params:
    """An object among the parameters, and the path that leads to it."""

    def __init__(self, value: Any, path: str = "params") -> None:
        if not isinstance(value, Mapping):
            _refuse(path, "an object", value)
        self.value: Mapping[str, Any] = value
        self.path = path

    def __contains__(self, name: str) -> bool:
        return self.value.get(name) is not None

    def object(self, name: str) -> Params:
        return Params(self.value.get(name), self._at(name))

    def objects(self, name: str) -> list[Params]:
        found = self.value.get(name)
        if not isinstance(found, list):
            _refuse(self._at(name), "a list", found)
        return [Params(item, f"{self._at(name)}[{index}]") for index, item in enumerate(found)]

    def text(self, name: str) -> str:
        found = self.value.get(name)
        if not isinstance(found, str):
            _refuse(self._at(name), "a string", found)
        return found

    def text_or_none(self, name: str) -> str | None:
        return self.text(name) if name in self else None

    def integer(self, name: str) -> int:
        found = self.value.get(name)
        if not isinstance(found, int) or isinstance(found, bool):
            _refuse(self._at(name), "an integer", found)
        return found

    def position(self, name: str = "position") -> Position:
        place = self.object(name)
        line, character = place.integer("line"), place.integer("character")
        if line < 0 or character < 0:
            raise ReplyError(INVALID_PARAMS, f"{place.path}: a position isn't negative")
        return Position(min(line, _LARGEST), min(character, _LARGEST))

    def positions(self, name: str) -> list[Position]:
        return [Params({"position": each.value}, each.path).position() for each in self.objects(name)]

    def range(self, name: str = "range") -> tuple[Position, Position]:
        found = self.object(name)
        return found.position("start"), found.position("end")

    @property
    def uri(self) -> str:
        """That of `textDocument`."""
        return self.object("textDocument").text("uri")

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}"


def _refuse(path: str, expected: str, found: Any) -> NoReturn:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "nothing"}
    here = kinds.get(type(found), "a number")
    raise ReplyError(INVALID_PARAMS, f"{path} is {expected}, but here is {here}")
