"""The texts of a file as they are written, for rules about what YAML makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.rules.rule import Subject
from rolebook.syntax.yaml import Entry, Mapping, Scalar
from rolebook.text import Span

TEXT_KEYS = frozenset(
    {
        "instruction",
        "global_instruction",
        "static_instruction",
        "identity",
        "description",
        "summary_instruction",
        "say",
        "text",
    }
)
"""Keys whose values are prose, wherever they stand."""

_TO_VALUE = re.compile(r"[ \t]*:[ \t]*")
_LINE = re.compile(r"[^\r\n]*")


def text_entries(subject: Subject) -> Iterator[Entry]:
    """The entries in block style whose keys take prose and whose values are scalars.

    Aliases share nodes, so each is taken once.
    """
    pending = [subject.source.document.root]
    seen = {id(pending[0])}
    for node in pending:
        if isinstance(node, Scalar):
            continue
        for entry in node.entries if isinstance(node, Mapping) and not node.flow else ():
            if entry.name in TEXT_KEYS and isinstance(entry.value, Scalar):
                yield entry
        below = [entry.value for entry in node.entries] if isinstance(node, Mapping) else node.items
        for child in below:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)


def after_key(source: str, entry: Entry) -> Span:
    """What stands behind a key on its line, after the colon; empty where that can't be told."""
    colon = _TO_VALUE.match(source, entry.key.span.end)
    start = colon.end() if colon is not None else entry.key.span.end
    line = _LINE.match(source, start) if colon is not None else None
    return Span(start, line.end()) if line is not None else Span(start, start)
