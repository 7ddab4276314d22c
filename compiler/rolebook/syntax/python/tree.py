"""tree-sitter's tree of a piece of Python, with spans in code points of the whole source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

import tree_sitter

from rolebook.record import Record
from rolebook.syntax.grammars import parser
from rolebook.text import Span, Utf8Offsets

_PARSER = parser("tree_sitter_python")
_LONGEST = 60

TsNode = tree_sitter.Node


class Tree(Record):
    """The tree of a piece that begins at offset `base` of its source."""

    piece: str
    base: int
    root: TsNode
    offsets: Utf8Offsets | None

    def span(self, node: TsNode) -> Span:
        start, end = node.start_byte, node.end_byte
        if self.offsets is not None:
            start, end = self.offsets.code_points(start), self.offsets.code_points(end)
        return Span(start + self.base, end + self.base)

    def text(self, node: TsNode) -> str:
        return self.piece[self.span(node).start - self.base : self.span(node).end - self.base]

    def name(self, node: TsNode) -> str:
        """An identifier as Python knows it, which compares them in normal form NFKC (language reference, 2.3)."""
        text = self.text(node)
        return text if text.isascii() else unicodedata.normalize("NFKC", text)

    def line(self, node: TsNode) -> str:
        """The source of a node on one line, cut short where it is long."""
        text = re.sub(r"\s+", " ", self.text(node)).strip()
        return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def parse(piece: str, base: int = 0) -> Tree:
    """Parses any text. A lone surrogate, which UTF-8 can't hold, is read as `?`, one code point for another."""
    encoded = piece.encode("utf-8", "replace")
    return Tree(piece, base, _PARSER.parse(encoded).root_node, Utf8Offsets.of(encoded.decode("utf-8")))


def descendants(node: TsNode, but_not_in: Collection[str] = ()) -> Iterator[TsNode]:
    """The named nodes below `node` in the order of the text, without going into nodes of the types `but_not_in`."""
    waiting = node.named_children[::-1]
    while waiting:
        found = waiting.pop()
        yield found
        if found.type not in but_not_in:
            waiting += found.named_children[::-1]


def identifiers(target: TsNode) -> Iterator[TsNode]:
    """The names that an assignment to `target` binds: `a` and `b` in `a, (b, c[d], e.f)`."""
    owned = ("attribute", "subscript")
    for node in (target, *(descendants(target, owned) if target.type not in owned else ())):
        if node.type == "identifier":
            yield node
