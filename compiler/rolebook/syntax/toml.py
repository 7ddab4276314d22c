"""Where a key stands in a TOML text, which the standard library's parser doesn't tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.text import Span

_TABLE = re.compile(r"^[ \t]*\[{1,2}([^\[\]\r\n]+)\]{1,2}", re.MULTILINE)
_PAIR = re.compile(r"""^[ \t]*((?:"[^"\r\n]*"|'[^'\r\n]*'|[\w.-]|[ \t]*\.[ \t]*)+)[ \t]*=""", re.MULTILINE)
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")


def key_span(text: str, keys: tuple[str, ...]) -> Span:
    """The span of the last of `keys`, which lead from the top into the tables, or of the longest part that is written.

    Keys are found by tables and `key =` lines; one inside of an inline table means the place of that table.
    """
    best, length = Span(0, min(1, len(text))), 0
    for path, spans in _written(text):
        if length < len(path) <= len(keys) and path == keys[: len(path)]:
            best, length = spans[-1], len(path)
    return best


def _written(text: str) -> Iterator[tuple[tuple[str, ...], list[Span]]]:
    table: tuple[str, ...] = ()
    table_spans: list[Span] = []
    marks = [*((m, True) for m in _TABLE.finditer(text)), *((m, False) for m in _PAIR.finditer(text))]
    for match, is_table in sorted(marks, key=lambda mark: mark[0].start()):
        parts = list(_PART.finditer(match[1]))
        names = tuple(part[1] or part[2] or part[3] or "" for part in parts)
        spans = [Span(match.start(1) + part.start(), match.start(1) + part.end()) for part in parts]
        if is_table:
            table, table_spans = names, spans
            yield table, table_spans
        elif names:
            yield (*table, *names), [*table_spans, *spans]
