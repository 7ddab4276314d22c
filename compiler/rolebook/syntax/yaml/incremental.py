"""tree-sitter's tree of a whole text, made from the tree of the text before an edit where there is one.

tree-sitter then looks only at what has changed. Where a text has an error, its tree may depend on the way that led to
it, so such a text is always read anew: the nodes of a document never depend on its history.
"""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from rolebook.syntax.grammars import parser

_PARSER = parser("tree_sitter_yaml")


class Syntax(NamedTuple):
    """A text in UTF-8 with its tree."""

    data: bytes
    tree: tree_sitter.Tree


def read(text: str, before: Syntax | None = None) -> Syntax:
    """The tree of `text`; `before` is that of an earlier text, of which this is an edit."""
    data = text.encode("utf-8", "surrogatepass")
    if before is None or before.tree.root_node.has_error:
        return Syntax(data, _PARSER.parse(data))
    edited = before.tree.copy()
    start, old_end, new_end = _difference(before.data, data)
    edited.edit(
        start,
        old_end,
        new_end,
        _point(before.data, start),
        _point(before.data, old_end),
        _point(data, new_end),
    )
    tree = _PARSER.parse(data, edited)
    return Syntax(data, _PARSER.parse(data) if tree.root_node.has_error else tree)


def _difference(old: bytes, new: bytes) -> tuple[int, int, int]:
    """Where two texts begin to differ, and where the difference ends in each; on the boundaries of characters."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    while start > 0 and start < len(new) and new[start] & 0xC0 == 0x80:
        start -= 1
    while end > 0 and new[len(new) - end] & 0xC0 == 0x80:
        end -= 1
    return start, len(old) - end, len(new) - end


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike, by halving: comparing slices is quicker than looking at each byte."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """tree-sitter's row and column, both from 0, the column in bytes."""
    return data.count(b"\n", 0, offset), offset - (data.rfind(b"\n", 0, offset) + 1)
