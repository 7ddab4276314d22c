"""Comments that silence a rule: `# rolebook: ignore[RULE, …]` on the line, or on a line of its own above it (spec §7).

A comment can't stand inside of a block text, so there it goes at the key. For the body of a Markdown definition it
stands anywhere in the front matter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from rolebook.problem import Problem
from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.syntax.markdown import yaml_part
from rolebook.syntax.yaml import Mapping, Node, Scalar, Sequence
from rolebook.text import Span

_COMMENT = re.compile(r"#[ \t]*rolebook:[ \t]*ignore\[([^\]\r\n]*)\]")
_NAME = re.compile(r"[^\s,]+")


_BODY = -1
"""Stands for all lines of a Markdown body."""


class Ignore(Record):
    """One rule's name in such a comment, and the lines whose problems it silences."""

    rule: str
    span: Span
    lines: tuple[int, ...]


def ignores(source: Source) -> tuple[Ignore, ...]:
    """All names in all such comments of a file."""
    text = source.text
    found = []
    texts: list[Scalar] | None = None
    body = body_of(source)
    for comment in _COMMENT.finditer(text.source, 0, len(text) if body is None else body):
        line = text.line_of(comment.start())
        texts = _texts(source.document.root) if texts is None else texts
        if _inside(texts, comment.start(), text.line_starts[line]):
            continue
        target = line if text.source[text.line_starts[line] : comment.start()].strip() else _next_line(source, line)
        for name in _NAME.finditer(comment[1]):
            span = Span(comment.start(1) + name.start(), comment.start(1) + name.end())
            found.append(Ignore(name.group(), span, (target,) if body is None else (target, _BODY)))
    return tuple(found)


def lines_of(problem: Problem, source: Source, body: int | None) -> Iterator[int]:
    """The lines on which a comment would silence the problem: its own, and that of the key whose text it lies in.

    `body` is what `body_of(source)` gives.
    """
    if body is not None and problem.span.start >= body:
        yield _BODY
        return
    yield source.text.line_of(problem.span.start)
    key = _key_of_text(source.document.root, problem.span.start)
    if key is not None:
        yield source.text.line_of(key)


def body_of(source: Source) -> int | None:
    """Where the front matter of a Markdown definition ends, None in any other file."""
    return len(yaml_part(source.text.source)) or None if source.path.endswith(".md") else None


def _next_line(source: Source, line: int) -> int:
    """The next line that holds more than a comment."""
    last = len(source.text.line_starts) - 1
    line += 1
    while line < last and source.text[source.text.line_span(line)].lstrip().startswith("#"):
        line += 1
    return line


def _texts(root: Node) -> list[Scalar]:
    """All scalars that could be read, in the order of the file; aliases share nodes, so each is taken once."""
    pending, seen, found = [root], {id(root)}, []
    for node in pending:
        if isinstance(node, Scalar):
            if not node.broken:
                found.append(node)
            continue
        children = node.items if isinstance(node, Sequence) else [n for e in node.entries for n in (e.key, e.value)]
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)
    return sorted(found, key=lambda scalar: scalar.span)


def _inside(texts: list[Scalar], offset: int, line_start: int) -> bool:
    """Whether `offset` lies in a scalar rather than in a comment; after the header of a block text stands a comment."""
    at = bisect_right(texts, offset, key=lambda scalar: scalar.span.start) - 1
    if at < 0 or offset >= texts[at].span.end:
        return False
    return not (texts[at].style in ("literal", "folded") and texts[at].span.start >= line_start)


def _key_of_text(node: Node, offset: int) -> int | None:
    """Where the key stands whose value is the scalar of several lines around `offset`."""
    found = None
    while not isinstance(node, Scalar):
        if isinstance(node, Mapping):
            entry = next((entry for entry in reversed(node.entries) if entry.span.holds(offset)), None)
            if entry is None:
                return None
            found, node = entry.key.span.start, entry.value
        else:
            item = next((item for item in reversed(node.items) if item.span.holds(offset)), None)
            if item is None:
                return None
            node = item
    return found
