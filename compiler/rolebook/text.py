"""Text and places in it: spans, lines, columns in each encoding of LSP, edits, and decoded text that knows its source.

All offsets are counted in code points (indices of a Python `str`) unless a name says otherwise.
Lines end at `\\n`, `\\r\\n` or `\\r` and nowhere else (LSP 3.17): form feed, NEL and U+2028 are plain characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from rolebook.record import Record

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """The half-open range `[start, end)` of a text. A tuple rather than a dataclass: a file makes thousands of them."""

    start: int
    end: int

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def holds(self, offset: int) -> bool:
        """Whether a cursor at `offset` touches the span; its end counts, since a cursor stands between characters."""
        return self.start <= offset <= self.end


NOWHERE = Span(0, 0)


class Position(NamedTuple):
    """A line and a column, both from 0; the column is in code units of some `Encoding`."""

    line: int
    character: int


class Edit(NamedTuple):
    """Replace `span` by `text`."""

    span: Span
    text: str


class Text:
    """An immutable text with its line starts, found when first asked for."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, span: Span) -> str:
        return self.source[span.start : span.end]

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.source))]

    def line_of(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset) - 1

    def line_span(self, line: int) -> Span:
        """The span of a line without its line end."""
        start = self.line_starts[line]
        end = self.line_starts[line + 1] if line + 1 < len(self.line_starts) else len(self.source)
        while end > start and self.source[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, encoding: Encoding = "utf-32") -> Position:
        """The line and column of `offset`, which is clamped into the text."""
        offset = min(max(offset, 0), len(self.source))
        line = self.line_of(offset)
        return Position(line, _units(self.source[self.line_starts[line] : offset], encoding))

    def offset(self, position: Position, encoding: Encoding = "utf-32") -> int:
        """The offset of a line and column; past a line's end means its end, past the last line the end of the text.

        A column inside of a character means its start (LSP leaves it open).
        """
        line, character = position
        if line < 0:
            return 0
        if line >= len(self.line_starts):
            return len(self.source)
        start, end = self.line_span(line)
        if encoding == "utf-32":
            return min(start + max(character, 0), end)
        return start + column(self.source[start:end], character, encoding)


class MappedText(NamedTuple):
    """Decoded text that knows where each of its characters stands in the source.

    `starts[k]` is where segment `k` begins in `text`; `spans[k]` is its place in the source. A segment as long there as
    here is verbatim, character by character; any other (an escape, a folded line end) belongs to its span as a whole.
    """

    text: str
    starts: tuple[int, ...]
    spans: tuple[Span, ...]

    @classmethod
    def verbatim(cls, text: str, start: int) -> MappedText:
        return cls(text, (0,), (Span(start, start + len(text)),))

    def source(self, start: int, end: int) -> Span:
        """The source span of `text[start:end]`; that of an empty range is the place between two characters."""
        if start >= end:
            return Span(self._at(start), self._at(start))
        at, after, span = self._segment(start)
        if end <= after and after - at == span.end - span.start:  # within one verbatim segment, as nearly always
            return Span(span.start + start - at, span.start + end - at)
        first, last = self._span(start), self._span(end - 1)
        return Span(first.start, max(first.start, last.end))

    def decoded(self, offset: int) -> int | None:
        """The place in `text` of a source offset, None where it lies outside or in what decoding drops (an indent)."""
        for k in range(len(self.starts)):
            span, start = self.spans[k], self.starts[k]
            length = (self.starts[k + 1] if k + 1 < len(self.starts) else len(self.text)) - start
            if span.start <= offset < span.end or (offset == span.end and k + 1 == len(self.starts)):
                return start + min(offset - span.start, length) if length == span.end - span.start else start
        return None

    def shift(self, by: int) -> MappedText:
        return MappedText(self.text, self.starts, tuple(span.shift(by) for span in self.spans))

    def _segment(self, index: int) -> tuple[int, int, Span]:
        k = max(bisect_right(self.starts, index) - 1, 0)
        end = self.starts[k + 1] if k + 1 < len(self.starts) else len(self.text)
        return self.starts[k], end, self.spans[k]

    def _span(self, index: int) -> Span:
        start, end, span = self._segment(index)
        if end - start != span.end - span.start:
            return span
        return Span(span.start + index - start, span.start + index - start + 1)

    def _at(self, index: int) -> int:
        if not self.starts:
            return 0
        start, end, span = self._segment(index)
        if index >= end:
            return span.end
        return span.start + index - start if end - start == span.end - span.start else span.start


class Utf8Offsets(Record):
    """Turns offsets in the UTF-8 bytes of a text, in which tree-sitter counts, into code points."""

    ends: tuple[int, ...]
    extra: tuple[int, ...]

    @classmethod
    def of(cls, source: str) -> Utf8Offsets | None:
        """None for an ASCII text, whose bytes are its code points."""
        if source.isascii():
            return None
        ends, extra, surplus = [], [0], 0
        for match in re.finditer(r"[^\x00-\x7f]", source):
            surplus += _width(match.group(), "utf-8") - 1
            ends.append(match.end() + surplus)
            extra.append(surplus)
        return cls(tuple(ends), tuple(extra))

    def code_points(self, byte: int) -> int:
        """The code point at a byte offset that lies on a character's boundary."""
        return byte - self.extra[bisect_right(self.ends, byte)]


def apply(source: str, edits: Iterable[Edit]) -> str:
    """The text after all `edits`, whose spans are counted in `source`.

    Raises ValueError where two overlap: that is a fault of the caller, never of user text.
    """
    out, done = [], 0
    for (start, end), text in sorted(edits):
        if start < done or end < start or end > len(source):
            raise ValueError(f"edit at {start}..{end} overlaps the one before it or leaves the text")
        out += [source[done:start], text]
        done = end
    return "".join([*out, source[done:]])


def column(line: str, character: int, encoding: Encoding) -> int:
    """The code point in a line, given without its end, that a number of code units means; past the end its end."""
    if encoding == "utf-32" or line.isascii():
        return min(max(character, 0), len(line))
    units = 0
    for index, char in enumerate(line):
        units += _width(char, encoding)
        if units > character:
            return index
    return len(line)


def join(pieces: Sequence[MappedText]) -> MappedText:
    """One mapped text out of several, in order."""
    starts: list[int] = []
    spans: list[Span] = []
    length = 0
    for piece in pieces:
        starts += [length + start for start in piece.starts]
        spans += piece.spans
        length += len(piece.text)
    return MappedText("".join(piece.text for piece in pieces), tuple(starts), tuple(spans))


def _width(char: str, encoding: Encoding) -> int:
    code = ord(char)
    if encoding == "utf-16":
        return 2 if code > 0xFFFF else 1
    if encoding == "utf-8":
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return 1


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return sum(_width(char, encoding) for char in text)
