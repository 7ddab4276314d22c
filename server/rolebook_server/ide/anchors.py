"""Anchors (`&name`) and aliases (`*name`) of YAML, which the tree of nodes has followed already."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.rules.ignore import body_of
from rolebook.syntax.yaml import Node, Scalar, Sequence
from rolebook.text import Span

_MARK = re.compile(
    r"(?:^|(?<=[\s,:\[{-]))(?P<comment>#[^\r\n]*)|(?<![^\s,:\[{-])(?P<sign>[&*])(?P<name>[A-Za-z0-9_-]+)"
)


class Anchor(Record):
    """One mark. `span` is its name without the sign."""

    name: str
    span: Span
    is_alias: bool


class Use(Record):
    """The anchor that a mark belongs to, None where an alias has none before it, and all its aliases."""

    anchor: Anchor | None
    aliases: tuple[Anchor, ...]


def anchors(source: Source) -> tuple[Anchor, ...]:
    """The marks of a file in its order."""
    text = source.text.source
    end = body_of(source) or len(text)
    if "&" not in text and "*" not in text:
        return ()
    spans = sorted(scalar_spans(source.document.root))
    found: list[Anchor] = []
    done = 0
    while (match := _MARK.search(text, done, end)) is not None:
        at = bisect_right(spans, match.start(), key=lambda span: span.start) - 1
        inside = at >= 0 and match.start() < spans[at].end
        done = spans[at].end if inside else match.end()
        if not inside and match["sign"] is not None:
            found.append(Anchor(match["name"], Span(*match.span("name")), match["sign"] == "*"))
    return tuple(found)


def use_at(source: Source, offset: int) -> Use | None:
    """The anchor or alias at `offset` with all that belong to it. An anchor's name may be given again further on."""
    marks = anchors(source)
    at = next((k for k, mark in enumerate(marks) if mark.span.start - 1 <= offset <= mark.span.end), None)
    if at is None:
        return None
    same = [(k, mark) for k, mark in enumerate(marks) if mark.name == marks[at].name]
    opened = max((k for k, mark in same if not mark.is_alias and k <= at), default=None)
    until = min((k for k, mark in same if not mark.is_alias and k > at), default=len(marks))
    since = opened if opened is not None else -1
    aliases = tuple(mark for k, mark in same if mark.is_alias and since < k < until)
    return Use(marks[opened] if opened is not None else None, aliases)


def scalar_spans(root: Node) -> Iterator[Span]:
    """Where the scalars of a document stand, each once though aliases share them."""
    pending, seen = [root], {id(root)}
    for node in pending:
        if isinstance(node, Scalar):
            yield node.span
            continue
        children = node.items if isinstance(node, Sequence) else [n for e in node.entries for n in (e.key, e.value)]
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)
