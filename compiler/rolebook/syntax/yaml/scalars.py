"""Scalars decoded as PyYAML decodes them, each character of the result mapped to its place in the source.

Rules: YAML 1.1, sections 8 and 9. Line ends come out as `\\n`, whatever they are in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from rolebook.text import MappedText, Span

_BREAK = re.compile(r"\r\n|\n|\r")
_BREAKS = re.compile(r"(?:[ \t]*+(?>\r\n|\n|\r))++[ \t]*+")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r\n|\n|\r)|(.))")
_SIMPLE = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEADER = re.compile(r"[|>](?:([+-])([1-9])?|([1-9])([+-])?)?[ \t]*(?:#[^\r\n]*)?(\r\n|\n|\r|$)")
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|$)")


class _Out:
    """Collects decoded text and its segments."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.spans: list[Span] = []
        self.length = 0

    def add(self, text: str, start: int, end: int) -> None:
        if text:
            self.parts.append(text)
            self.starts.append(self.length)
            self.spans.append(Span(start, end))
            self.length += len(text)

    def mapped(self) -> MappedText:
        return MappedText("".join(self.parts), tuple(self.starts), tuple(self.spans))


def plain(source: str, span: Span) -> MappedText:
    """A plain scalar; line ends inside of it fold."""
    text = source[span.start : span.end]
    if "\n" not in text and "\r" not in text:
        return MappedText.verbatim(text, span.start)
    out = _Out()
    _fold_flow(source, span.start, span.end, out, lambda start, end: out.add(source[start:end], start, end))
    return out.mapped()


def single_quoted(source: str, span: Span) -> MappedText:
    """What stands between single quotes, where `''` is one quote. `span` includes the quotes."""
    start, end = span.start + 1, max(span.end - 1, span.start + 1)
    text = source[start:end]
    if "'" not in text and "\n" not in text and "\r" not in text:
        return MappedText.verbatim(text, start)
    out = _Out()

    def quotes(start: int, end: int) -> None:
        while (at := source.find("''", start, end)) >= 0:
            out.add(source[start:at], start, at)
            out.add("'", at, at + 2)
            start = at + 2
        out.add(source[start:end], start, end)

    _fold_flow(source, start, end, out, quotes)
    return out.mapped()


def double_quoted(source: str, span: Span) -> MappedText:
    """What stands between double quotes, with its escapes. `span` includes the quotes."""
    start, end = span.start + 1, max(span.end - 1, span.start + 1)
    text = source[start:end]
    if "\\" not in text and "\n" not in text and "\r" not in text:
        return MappedText.verbatim(text, start)
    out = _Out()
    at = start
    while at < end:
        escape = _ESCAPE.search(source, at, end)
        stop = escape.start() if escape else end
        _fold_flow(source, at, stop, out, lambda start, end: out.add(source[start:end], start, end))
        if escape is None:
            break
        at = escape.end()
        if escape[4] is not None:  # an escaped line end joins the lines; blank lines after it count
            blank = re.compile(r"(?:[ \t]*(\r\n|\n|\r))*[ \t]*").match(source, at, end)
            stop = blank.end() if blank else at
            out.add("\n" * len(re.findall(r"\r\n|\n|\r", source[at:stop])), escape.start(), stop)
            at = stop
        else:
            code = escape[1] or escape[2] or escape[3]
            char = _SIMPLE.get(escape[5] or "", escape[5] or "")
            if code:
                char = chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else "\ufffd"
            out.add(char, escape.start(), at)
    return out.mapped()


def is_block_header(source: str, start: int) -> bool:
    """Whether a block scalar's `|` or `>` stands at `start`, with nothing on its line but what belongs to it."""
    return _HEADER.match(source, start) is not None


def block(source: str, start: int, parent_indent: int) -> tuple[MappedText, int]:
    """The block scalar whose `|` or `>` stands at `start`, and the offset where it ends.

    `parent_indent` is the column of the block collection around it, −1 at the top of a document.
    """
    header = _HEADER.match(source, start)
    if header is None:
        end = start + 1
        return MappedText("", (), ()), end
    chomping = header[1] or header[4] or ""
    width = header[2] or header[3]
    lines, end = _block_lines(source, header.end(), max(parent_indent + 1, 1), width)
    out = _Out()
    if source[start] == "|":
        for content, line_end, (stop, after) in lines:
            if after - stop == len(line_end):
                out.add(source[content:stop] + line_end, content, after)
            else:
                out.add(source[content:stop], content, stop)
                out.add(line_end, stop, after)
    else:
        _fold_block(source, lines, out)
    return _chomp(out.mapped(), chomping), end


_Line = tuple[int, str, tuple[int, int]]
"""Where the content starts, the decoded line end, and where line end begins and ends in the source."""


def _block_lines(source: str, at: int, least: int, width: str | None) -> tuple[list[_Line], int]:
    """The lines of a block scalar's body, and the offset after the last one."""
    indent = least + int(width) - 1 if width else _detect_indent(source, at, least)
    lines: list[_Line] = []
    while at < len(source):
        line = _LINE.match(source, at)
        assert line is not None
        text = line[1]
        blanks = len(text) - len(text.lstrip(" "))
        if blanks < indent and blanks < len(text):
            break  # a line with text, less indented: the scalar is over
        content = at + min(blanks, indent)
        lines.append((content, "\n" if line[2] else "", (line.end(1), line.end())))
        if line.end() == at:
            break
        at = line.end()
    return lines, at


def _detect_indent(source: str, at: int, least: int) -> int:
    """The indent of the first line with text, or of the longest blank one before it (PyYAML's way)."""
    most = 0
    while at < len(source):
        line = _LINE.match(source, at)
        assert line is not None
        blanks = len(line[1]) - len(line[1].lstrip(" "))
        most = max(most, blanks)
        if blanks < len(line[1]) or line.end() == at:
            break
        at = line.end()
    return max(least, most)


def _fold_block(source: str, lines: list[_Line], out: _Out) -> None:
    """Folds single line ends between lines that start with text; lines that start with a blank keep theirs."""
    following: list[int | None] = [None] * len(lines)
    for k in range(len(lines) - 2, -1, -1):
        content, _, (stop, _) = lines[k + 1]
        following[k] = k + 1 if content < stop else following[k + 1]
    for k, (content, line_end, (stop, after)) in enumerate(lines):
        out.add(source[content:stop], content, stop)
        if not line_end:
            continue
        text = source[content:stop]
        other = following[k]
        if not text or text[0] in " \t" or other is None or source[lines[other][0]] in " \t":
            out.add("\n", stop, after)
        elif other == k + 1:
            out.add(" ", stop, after)
        # otherwise the blank lines between carry the breaks: this one folds away


def _chomp(text: MappedText, chomping: str) -> MappedText:
    if chomping == "+":
        return text
    body = text.text.rstrip("\n")
    keep = len(body) if chomping == "-" or not body else min(len(body) + 1, len(text.text))
    kept = bisect_left(text.starts, keep)
    spans = list(text.spans[:kept])
    if kept and keep < len(text.text):  # only a verbatim segment, text and its line end, is ever cut in two
        spans[-1] = Span(spans[-1].start, min(spans[-1].end, spans[-1].start + keep - text.starts[kept - 1]))
    return MappedText(text.text[:keep], text.starts[:kept], tuple(spans))


def _fold_flow(source: str, start: int, end: int, out: _Out, literal: Callable[[int, int], None]) -> None:
    """Adds the text between two offsets with its line ends folded: one becomes a blank, n become n − 1."""
    while (found := _BREAK.search(source, start, end)) is not None:
        first = found.start()
        while first > start and source[first - 1] in " \t":
            first -= 1
        match = _BREAKS.match(source, found.start(), end)
        assert match is not None
        literal(start, first)
        breaks = len(_BREAK.findall(match.group()))
        out.add("\n" * (breaks - 1) or " ", first, match.end())
        start = match.end()
    literal(start, end)
