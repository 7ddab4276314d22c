"""Markdown definitions: YAML front matter, and below it the instruction as the exact text of the body (spec §1)."""

from __future__ import annotations

import re

from rolebook.syntax.yaml import Document, Entry, Fault, Mapping, Scalar, parse
from rolebook.text import MappedText, Span

_OPEN = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


def parse_markdown(source: str) -> Document:
    """The front matter's document, with the body as the value of `instruction`. Never raises."""
    opened = _OPEN.match(source)
    if opened is None:
        start = Span(0, min(1, len(source)))
        return Document(Mapping(start, ()), (Fault(start, "a Markdown definition starts with a `---` line and YAML"),))
    closed = _CLOSE.search(source, opened.end())
    if closed is None:
        document = parse(source)
        unclosed = Fault(Span(0, 3), "this front matter is never closed; a `---` line ends it")
        return Document(document.root, (unclosed, *document.faults))
    document = parse(source[: closed.start()])  # its first line is YAML's own mark of a document's start
    root = document.root
    body = source[closed.end() :]
    if not isinstance(root, Mapping) or not body.strip():
        return document
    mark = Span(closed.start(), closed.start() + 3)
    key = Scalar(mark, MappedText("instruction", (0,), (mark,)), "instruction")
    text = MappedText.verbatim(body, closed.end())
    value = Scalar(Span(closed.end(), len(source)), text, body, "literal")
    entry = Entry(Span(mark.start, len(source)), key, value)
    return Document(
        Mapping(Span(root.span.start, len(source)), (*root.entries, entry), root.flow, root.merged), document.faults
    )


def yaml_part(source: str) -> str:
    """The text up to the end of the front matter, so that offsets stay as they are; empty for a text without."""
    opened = _OPEN.match(source)
    closed = _CLOSE.search(source, opened.end()) if opened is not None else None
    return source[: closed.start()] if closed is not None else ""
