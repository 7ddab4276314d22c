"""Compiled text that knows where each of its characters came from (spec §3)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from rolebook.record import Record
from rolebook.text import NOWHERE, MappedText, Span

OriginKind = Literal["file", "state", "artifact", "provider", "own", "hole"]


class Location(NamedTuple):
    """A span in a file."""

    path: str
    span: Span


class Piece(Record):
    """A run of compiled text with one origin.

    `kind` tells what made it: the text of a definition (`file`), a state value, an artifact, a provider function, the
    wording of Rolebook (`own`), or a hole that only a run can fill. `name` says which: the state key, the artifact's
    file, the function, the part of our wording. `path` and `span` are the place in a definition that caused it.
    """

    text: str
    kind: OriginKind
    name: str = ""
    path: str = ""
    span: Span = NOWHERE
    mapped: MappedText | None = None
    offset: int = 0

    def locate(self, start: int, end: int) -> Location | None:
        """The place in a definition of `text[start:end]`; for what no text of a file gave, of what caused it."""
        if not self.path:
            return None
        if self.mapped is None:
            return Location(self.path, self.span)
        return Location(self.path, self.mapped.source(self.offset + start, self.offset + end))


class Compiled(Record, caches=True):
    """A compiled text as its pieces, in order."""

    pieces: tuple[Piece, ...] = ()

    @cached_property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def holes(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.kind == "hole")

    @property
    def known_text(self) -> str:
        """The text without its holes, which is what tokens are counted of."""
        return "".join(piece.text for piece in self.pieces if piece.kind != "hole")

    def locate(self, offset: int) -> Location | None:
        """Where the character at `offset` came from."""
        for piece in self.pieces:
            if offset < len(piece.text):
                return piece.locate(offset, offset + 1)
            offset -= len(piece.text)
        return None


def own(text: str, name: str, path: str = "", span: Span = NOWHERE) -> Piece:
    """A piece of our own wording; `path` and `span` name what in a definition it speaks of."""
    return Piece(text, "own", name, path, span)


def from_file(path: str, mapped: MappedText, start: int, end: int) -> Piece:
    """The piece `mapped.text[start:end]` of the file at `path`."""
    return Piece(mapped.text[start:end], "file", "", path, mapped.source(start, end), mapped, start)


def join(parts: Iterable[Compiled]) -> Compiled:
    """The parts that hold any text, with a blank line between them."""
    pieces: list[Piece] = []
    for part in parts:
        if not any(piece.text for piece in part.pieces):
            continue
        if pieces:
            pieces.append(own("\n\n", "separator"))
        pieces += (piece for piece in part.pieces if piece.text)
    return Compiled(tuple(pieces))
