"""Selection ranges: what "expand selection" takes next, from the word at the cursor out to the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.syntax.template import placeholders
from rolebook.syntax.yaml import Mapping, Node, Scalar
from rolebook.text import Span
from rolebook_server.ide.locate import locate
from rolebook_server.ide.names import bare_span, syntaxes, texts_of

_WORD = re.compile(r"\w+")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)\s*")


def selection(snapshot: Snapshot, path: str, offset: int) -> tuple[Span, ...]:
    """The spans around `offset`, each larger than the one before and holding it; the last one is the file.

    Word, placeholder, line and paragraph of a text, text, value, entry, and so on out through agents.
    """
    source = snapshot.source(path)
    if source is None:
        return ()
    whole = Span(0, len(source.text))
    offset = min(max(offset, 0), whole.end)
    found = sorted({whole, *_spans(snapshot, source, offset)}, key=lambda span: (span.end - span.start, -span.start))
    chain: list[Span] = []
    for span in found:
        inside = whole.start <= span.start <= offset <= span.end <= whole.end
        if inside and (not chain or (span.start <= chain[-1].start and chain[-1].end <= span.end)):
            chain.append(span)
    return tuple(chain)


def _spans(snapshot: Snapshot, source: Source, offset: int) -> Iterator[Span]:
    yield from _words(source, offset)
    found = locate(source, offset)
    if found is not None and isinstance(found.node, Scalar):
        yield found.node.span
        bare = bare_span(found.node)
        yield bare
        if not found.on_key:
            yield from _within(source, bare, offset)
        for _, text in texts_of(found.agent):
            if text is found.node.text:
                for placeholder in placeholders(text.text, syntaxes(snapshot, source)[found.agent.span]):
                    yield text.source(*placeholder.key_span)
                    yield text.source(*placeholder.span)
    yield from _around(source.document.root, offset)
    yield from (agent.span for agent in source.agents if agent.span.holds(offset))


def _words(source: Source, offset: int) -> Iterator[Span]:
    """The word that the cursor touches; before the one that it stands behind comes the one that it stands at."""
    line = source.text.line_span(source.text.line_of(offset))
    for word in _WORD.finditer(source.text.source, max(line.start, offset - 200), min(line.end, offset + 200)):
        if word.start() <= offset <= word.end():
            yield Span(*word.span())


def _within(source: Source, text: Span, offset: int) -> Iterator[Span]:
    """The line and the paragraph of a text of several lines."""
    line = source.text.line_span(source.text.line_of(offset))
    written = source.text[line]
    start = line.start + len(written) - len(written.lstrip())
    yield Span(max(start, text.start), min(line.end, text.end))
    start = text.start
    for gap in _BLANK_LINE.finditer(source.text.source, text.start, text.end):
        if gap.start() >= offset:
            yield Span(start, gap.start())
            return
        start = gap.end()
    yield Span(start, len(source.text.source[: text.end].rstrip()))


def _around(node: Node, offset: int) -> Iterator[Span]:
    """The nodes and entries on the way down to the cursor."""
    while not isinstance(node, Scalar):
        yield node.span
        if isinstance(node, Mapping):
            entry = next((entry for entry in reversed(node.entries) if entry.span.holds(offset)), None)
            if entry is None:
                return
            yield entry.span
            yield entry.key.span
            node = entry.value
        else:
            item = next((item for item in reversed(node.items) if item.span.holds(offset)), None)
            if item is None:
                return
            node = item
    yield node.span
