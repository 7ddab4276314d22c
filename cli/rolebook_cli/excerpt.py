"""A place in a source text as people see it: its lines, and carets below the span, in columns of a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from rolebook.text import Span, Text
from rolebook_cli.paint import Colour, paint

_WIDEST = 100
"""Code points of a line that are shown; a longer one is cut around the span."""
_BEFORE = 30
"""Code points that are kept in front of the span where a line is cut."""
_MOST_LINES = 3
"""Lines of a span that are shown; of a longer one the first and the last."""
_TAB = 4
"""Columns from one tab stop to the next."""

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")
"""What a terminal obeys rather than shows: control characters, marks of direction, line separators, lone surrogates."""


def visible(text: str, keep: str = "") -> str:
    """The text with each character that a terminal would obey written as its escape, but for those in `keep`."""
    return _UNSEEN.sub(lambda match: match.group() if match.group() in keep else _escape(match.group()), text)


def excerpt(text: Text, span: Span, colour: Colour, stream: TextIO | None = None) -> list[str]:
    """The lines of a span, each with its number, and below it the carets. None for an empty text."""
    if not text.source:
        return []
    first, last = text.line_of(min(span.start, len(text))), text.line_of(min(max(span.end - 1, span.start), len(text)))
    lines = range(first, last + 1)
    shown = lines if len(lines) <= _MOST_LINES else (first, last)
    margin = len(str(last + 1))
    rows = []
    for number in shown:
        if number == last and len(shown) < len(lines):
            rows.append(f"  {' ' * margin} {paint('…', 'dim', stream=stream)}")
        here = text.line_span(number)
        line = text[here]
        start = max(span.start - here.start, 0) if number == first else len(line) - len(line.lstrip())
        end = min(span.end - here.start, len(line))
        drawn, blanks, width = _marked(line, start, max(end, start))
        rows += [
            f"  {paint(f'{number + 1:>{margin}} |', 'dim', stream=stream)} {drawn}".rstrip(),
            f"  {' ' * margin} {paint('|', 'dim', stream=stream)} {blanks}{paint('^' * width, colour, stream=stream)}",
        ]
    return rows


def _marked(line: str, start: int, end: int) -> tuple[str, str, int]:
    """A line as it is shown, the blanks before its carets, and how many carets stand below `line[start:end]`."""
    left, right = 0, len(line)
    if right > _WIDEST:
        left = max(0, min(start - _BEFORE, right - _WIDEST))
        right = left + _WIDEST
    head, tail = "…" if left else "", "…" if right < len(line) else ""
    cells = list(_cells(line[left:right], len(head)))
    before = len(head) + sum(width for _, width in cells[: start - left])
    marked = sum(width for _, width in cells[start - left : end - left])
    return f"{head}{''.join(shown for shown, _ in cells)}{tail}", " " * before, max(marked, 1)


def _cells(text: str, column: int) -> Iterator[tuple[str, int]]:
    """Each character as it is shown, with the columns that it takes; `column` is where the first one stands."""
    joined = False
    for char in text:
        if char == "\t":
            shown, width = " " * (_TAB - column % _TAB), _TAB - column % _TAB
        elif _UNSEEN.match(char):
            shown = _escape(char)
            width = len(shown)
        else:
            shown, width = char, 0 if joined else _width(char)
        joined = char == _JOINER
        column += width
        yield shown, width


_JOINER = "\u200d"
"""Glues an emoji to the one before it, so that both take the room of one."""


def _width(char: str) -> int:
    """How many columns a character takes: marks none, East Asian wide ones and emoji two."""
    if char.isascii():
        return 1
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff" or "\U0001f3fb" <= char <= "\U0001f3ff":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
