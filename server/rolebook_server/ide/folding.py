"""Folding: agents, entries and texts of several lines, runs of comments, front matter, and headings in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.rules.ignore import body_of
from rolebook.syntax.yaml import Mapping, Node, Scalar
from rolebook.text import Span, Text
from rolebook_server.ide.anchors import scalar_spans

_COMMENT = re.compile(r"^[ \t]*#[^\r\n]*", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})[ \t][^\r\n]*", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_MOST_FOLDS = 5_000

FoldKind: TypeAlias = Literal["region", "comment"]


class Fold(Record):
    """From the end of the line that stays to the end of the last line that is hidden."""

    span: Span
    kind: FoldKind = "region"


def folds(source: Source) -> tuple[Fold, ...]:
    """The folds of a file in its order. Of those that begin on one line only the largest counts, as in editors."""
    largest: dict[int, Fold] = {}
    text = source.text
    texts = _long_texts(source)
    comments = _comments(source, texts)
    hidden = {line for run in comments for line in range(run[0], run[1] + 1)}
    for span in _regions(source):
        first, last = text.line_of(span.start), text.line_of(max(span.end - 1, span.start))
        while last > first and (last in hidden or not text[text.line_span(last)].strip()):
            last -= 1  # blank lines and comments behind an entry belong to what follows
        _add(largest, text, first, last, "region")
    for first, last in comments:
        _add(largest, text, first, last, "comment")
    return tuple(largest[first] for first in sorted(largest))


def _add(largest: dict[int, Fold], text: Text, first: int, last: int, kind: FoldKind) -> None:
    if last > first and len(largest) < _MOST_FOLDS:
        fold = Fold(Span(text.line_span(first).end, text.line_span(last).end), kind)
        if first not in largest or largest[first].span.end < fold.span.end:
            largest[first] = fold


def _regions(source: Source) -> Iterator[Span]:
    body = body_of(source)
    pending: list[Node] = [source.document.root]
    seen = {id(pending[0])}
    for node in pending:
        if isinstance(node, Scalar):
            continue
        if isinstance(node, Mapping):
            spans = [entry.span for entry in node.entries]
            children = [inner for entry in node.entries for inner in (entry.key, entry.value)]
        else:
            spans = [item.span for item in node.items]
            children = list(node.items)
        yield from (span for span in spans if body is None or span.start < body)
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)
    if body is not None:
        yield Span(0, min(body + 3, len(source.text)))
        yield from _sections(source.text.source, body)


def _sections(text: str, body: int) -> Iterator[Span]:
    """A heading of a Markdown body folds down to the next one of its level or above; lines of code are none."""
    fences = [match.start() for match in _FENCE.finditer(text, body)]
    opened: list[tuple[int, int]] = []
    passed = 0
    for heading in _HEADING.finditer(text, body):
        while passed < len(fences) and fences[passed] < heading.start():
            passed += 1
        if passed % 2:
            continue
        level = len(heading[1])
        while opened and opened[-1][0] >= level:
            yield Span(opened.pop()[1], heading.start())
        opened.append((level, heading.start()))
    yield from (Span(start, len(text)) for _, start in opened)


def _long_texts(source: Source) -> list[Span]:
    """The scalars of several lines, in order."""
    text = source.text
    spans = scalar_spans(source.document.root)
    return sorted(span for span in spans if text.line_of(span.start) != text.line_of(span.end))


def _comments(source: Source, texts: list[Span]) -> list[tuple[int, int]]:
    """The first and the last line of each run of lines that hold a comment only."""
    text = source.text
    end = body_of(source) or len(text)
    runs: list[tuple[int, int]] = []
    at = 0
    for match in _COMMENT.finditer(text.source, 0, end):
        while at < len(texts) and texts[at].end <= match.start():
            at += 1
        if at < len(texts) and texts[at].start < match.start():
            continue  # a line of a text
        line = text.line_of(match.start())
        if runs and runs[-1][1] == line - 1:
            runs[-1] = (runs[-1][0], line)
        else:
            runs.append((line, line))
    return runs
