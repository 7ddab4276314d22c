"""Placeholders filled from state and artifacts (spec §2): one pass, and a value is never expanded again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from rolebook.json import compact
from rolebook.prompt.context import Context
from rolebook.prompt.provenance import Compiled, OriginKind, Piece, from_file
from rolebook.syntax.adk_template import Failure, adk_placeholders, adk_value
from rolebook.syntax.template import Placeholder, TemplateSyntax, placeholders
from rolebook.text import MappedText

Mode: TypeAlias = TemplateSyntax | Literal["adk"]
"""Whose rules hold: Rolebook's in one of its syntaxes, or google-adk's."""


def substitute(mapped: MappedText, path: str, mode: Mode, context: Context) -> Compiled:
    """The text of the file at `path` with its placeholders filled."""
    pieces: list[Piece] = []
    done = 0

    def verbatim(end: int) -> None:
        if end > done:
            pieces.append(from_file(path, mapped, done, end))

    for placeholder in _placeholders(mapped.text, mode):
        start, end = placeholder.span
        if placeholder.escaped:
            verbatim(start)
            done = start + 1
        elif (value := value_of(placeholder, context, mode)) is not None:
            verbatim(start)
            kind: OriginKind = "artifact" if placeholder.artifact else "state"
            pieces.append(Piece(value, kind, placeholder.key, path, mapped.source(start, end)))
            done = end
    verbatim(len(mapped.text))
    return Compiled(tuple(pieces))


def substitute_text(text: str, mode: Mode, context: Context, maker: Piece) -> Compiled:
    """The same for a text that no file holds, such as a provider's; what isn't filled in is told like `maker`."""
    pieces: list[Piece] = []
    for piece in substitute(MappedText.verbatim(text, 0), "", mode, context).pieces:
        made = piece.kind if piece.kind != "file" else maker.kind
        name = piece.name if piece.kind != "file" else maker.name
        pieces.append(Piece(piece.text, made, name, maker.path, maker.span))
    return Compiled(tuple(pieces))


def value_of(placeholder: Placeholder, context: Context, mode: Mode = "braces") -> str | None:
    """The text that stands in for a placeholder, None where it stays as it is."""
    if mode == "adk":
        filled = adk_value(placeholder, context.state, context.artifacts)
        return filled if not isinstance(filled, Failure) else None
    values = context.artifacts if placeholder.artifact else context.state
    value = values.get(placeholder.key)
    if value is None:
        return "" if placeholder.optional else None
    return value if isinstance(value, str) else compact(value)


def _placeholders(text: str, mode: Mode) -> Iterator[Placeholder]:
    return adk_placeholders(text) if mode == "adk" else placeholders(text, mode)
