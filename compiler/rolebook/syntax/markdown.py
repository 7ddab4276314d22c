"""Markdown definitions: YAML front matter, and below it the instruction as the exact text of the body (spec §1)."""

from __future__ import annotations

import re

from rolebook.syntax.yaml import Document, Entry, Fault, Mapping, Scalar, Syntax, reparse
from rolebook.text import MappedText, Span

_OPEN = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


def parse_markdown(source: str) -> Document:
    """The front matter's document, with the body as the value of `instruction`. Never raises."""
    return reparse_markdown(source, None)[0]


def reparse_markdown(source: str, before: Syntax | None) -> tuple[Document, Syntax | None]:
    """The same after an edit; see `yaml.reparse`."""
    opened = _OPEN.match(source)
    if opened is None:
        start = Span(0, min(1, len(source)))
        missing = Fault(start, "a Markdown definition starts with a `---` line and YAML")
        return Document(Mapping(start, ()), (missing,)), None
    closed = _CLOSE.search(source, opened.end())
    if closed is None:
        document, syntax = reparse(source, before)
        unclosed = Fault(Span(0, 3), "this front matter is never closed; a `---` line ends it")
        return Document(document.root, (unclosed, *document.faults)), syntax
    document, syntax = reparse(source[: closed.start()], before)  # its first line is YAML's own start of a document
    root = document.root
    body = source[closed.end() :]
    if not isinstance(root, Mapping) or not body.strip():
        return document, syntax
    mark = Span(closed.start(), closed.start() + 3)
    key = Scalar(mark, MappedText("instruction", (0,), (mark,)), "instruction")
    text = MappedText.verbatim(body, closed.end())
    value = Scalar(Span(closed.end(), len(source)), text, body, "literal")
    entry = Entry(Span(mark.start, len(source)), key, value)
    whole = Mapping(Span(root.span.start, len(source)), (*root.entries, entry), root.flow, root.merged)
    return Document(whole, document.faults), syntax


def yaml_part(source: str) -> str:
    """The text up to the end of the front matter, so that offsets stay as they are; empty for a text without."""
    opened = _OPEN.match(source)
    closed = _CLOSE.search(source, opened.end()) if opened is not None else None
    return source[: closed.start()] if closed is not None else ""
