"""What can still be read of a broken text: it is cut into entries by indentation, level by level, each read alone.

Only the entry that holds the mistake is lost, its key stays known, and the fault is put where the mistake is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rolebook.syntax.yaml import scalars
from rolebook.syntax.yaml.build import Builder, Fault, TsNode
from rolebook.syntax.yaml.limits import MOST_LINES, MOST_NESTED, lines_in
from rolebook.syntax.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence, missing
from rolebook.text import MappedText, Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'|[^\s#"'\[\]{},:&*!|>%@`-][^:#\r\n]*+|-[^\s:][^:#\r\n]*+)"""
    r"""[ \t]*+:(?=[ \t\r\n]|$)[ \t]*+"""
)
"""An entry's key, with the blanks before its colon, as nothing here may look at a text more than once."""
_DASH = re.compile(r"-(?=[ \t\r\n]|$)")
_COLON = re.compile(r":(?=[ \t\r\n]|$)")
_PROPERTIES = re.compile(r"(?:[&!]\S*+[ \t]*+)*+(?:#.*)?$")


class _Chunk(NamedTuple):
    """An entry or item with all lines that belong to it, as offsets in the source; it starts at column `indent`."""

    start: int
    end: int
    indent: int


def recover(builder: Builder, stream: TsNode) -> Node:
    """The root node of a text in which tree-sitter found an error. At least one fault is left in `builder`."""
    error = _first_error(stream)
    place = builder.span(error)
    builder.anchors.clear()
    before = len(builder.faults)
    start, end = _first_document(builder.source)
    root = _Region(builder, builder.source).collection(start, end)
    if len(builder.faults) == before:  # each piece is fine alone, so it is the whole that doesn't fit together
        builder.faults.append(_unexplained(builder.source, place, end))
    return root


def _unexplained(source: str, place: Span, end: int) -> Fault:
    """The fault of a text whose pieces are all fine: what tree-sitter stumbled over, or a likelier cause."""
    if source[end:].strip():
        return Fault(Span(end, min(end + 3, len(source))), SECOND_DOCUMENT)
    if (tab := _TAB.search(source)) is not None:
        return Fault(Span(tab.end() - 1, tab.end()), _TABBED)
    if (lines := lines_in(source, 0, len(source))) > MOST_LINES:
        return Fault(_on_one_line(source, place), f"this file has {lines:,} lines; {_TOO_LONG}")
    return Fault(_on_one_line(source, place), "this is no YAML")


class _Region:
    """Reads pieces of `text`, which is the source but for dashes that were blanked out on the way down."""

    def __init__(self, builder: Builder, text: str) -> None:
        self.builder, self.text = builder, text

    def collection(self, start: int, end: int) -> Node:
        """The mapping or sequence between two offsets."""
        chunks = _cut(self.text, start, end)
        if not chunks:
            return missing(start)
        if self.builder.depth >= MOST_NESTED:
            return self.builder.too_deep(self._span(chunks))
        self.builder.depth += 1
        try:
            return self._collection(chunks)
        finally:
            self.builder.depth -= 1

    def _collection(self, chunks: list[_Chunk]) -> Node:
        if _DASH.match(self.text, chunks[0].start):
            return self._sequence(chunks)
        if len(chunks) == 1 and (whole := self._read(chunks[0])) is not None and not isinstance(whole, Mapping):
            return whole
        entries = [entry for chunk in chunks for entry in self._entries(chunk)]
        if entries or len(chunks) > 1:
            return self.builder.mapping(self._span(chunks), entries, flow=False)
        return self._broken(chunks[0].start, chunks[0].end)

    def _span(self, chunks: list[_Chunk]) -> Span:
        """From the first chunk to the last character of the last one, without the blank lines that follow."""
        start = chunks[0].start
        return Span(start, start + len(self.text[start : chunks[-1].end].rstrip()))

    def _sequence(self, chunks: list[_Chunk]) -> Node:
        items: list[Node] = []
        for chunk in chunks:
            read = self._read(chunk)
            if isinstance(read, Sequence):
                items += read.items
            elif _DASH.match(self.text, chunk.start):
                inside = self.text[: chunk.start] + " " + self.text[chunk.start + 1 :]
                body = _Region(self.builder, inside)
                items.append(body.collection(chunk.start, chunk.end))
            else:
                items.append(self._broken(chunk.start, chunk.end))
        return Sequence(self._span(chunks), tuple(items))

    def _entries(self, chunk: _Chunk) -> list[Entry]:
        read = self._read(chunk)
        if isinstance(read, Mapping):
            return list(read.entries)
        key = _KEY.match(self.text, chunk.start, chunk.end)
        if key is None:
            return self._half_typed(chunk, read)
        name = self._key(chunk.start, chunk.start + len(key["key"].rstrip()))
        value = self._value(chunk, key.end())
        return [Entry(Span(chunk.start, max(value.span.end, name.span.end)), name, value)]

    def _value(self, chunk: _Chunk, start: int) -> Node:
        """The value of a key whose entry could not be read whole."""
        line_end = _line_end(self.text, start, chunk.end)
        rest = self.text[start:line_end]
        if _PROPERTIES.match(rest) and (after := _next_line(self.text, line_end, chunk.end)) < chunk.end:
            return self.collection(after, chunk.end)
        if scalars.is_block_header(self.builder.source, start):
            text, end = scalars.block(self.builder.source, start, chunk.indent)
            node = Scalar(Span(start, end), text, text.text, "literal" if rest[0] == "|" else "folded")
            left = _cut(self.text, end, chunk.end)
            self.builder.faults.append(
                Fault(Span(left[0].start, _line_end(self.text, left[0].start, chunk.end)), _LESS_INDENTED)
                if left
                else Fault(Span(start, line_end), _of_header(self.text, start, end))
            )
            return node
        below = _cut(self.text, _next_line(self.text, line_end, chunk.end), chunk.end)
        if below and _KEY.match(self.text, below[0].start, below[0].end):
            line = self._read(_Chunk(start, line_end, chunk.indent))
            if isinstance(line, Scalar) and line.style == "plain":
                place = Span(below[0].start, _line_end(self.text, below[0].start, chunk.end))
                self.builder.faults.append(Fault(place, _MORE_INDENTED))
                return line
        return self._broken(start, chunk.end)

    def _half_typed(self, chunk: _Chunk, read: Node | None) -> list[Entry]:
        """A line without a colon: a key that is being typed, unless it is no word at all."""
        line_end = _line_end(self.text, chunk.start, chunk.end)
        word = self.text[chunk.start : line_end].rstrip()
        if isinstance(read, Scalar) and re.fullmatch(r"\w[\w.-]*", word):
            self.builder.faults.append(
                Fault(Span(chunk.start, chunk.start + len(word)), f"expected `:` after `{word}`")
            )
            key = Scalar(Span(chunk.start, chunk.start + len(word)), MappedText.verbatim(word, chunk.start), word)
            return [
                Entry(
                    key.span, key, Scalar(Span(key.span.end, key.span.end), MappedText("", (), ()), None, broken=True)
                )
            ]
        self._broken(chunk.start, chunk.end)
        return []

    def _read(self, chunk: _Chunk) -> Node | None:
        """The node of a chunk that is YAML by itself, None of one that isn't. Its indent goes along for the columns."""
        first = _line_start(self.text, chunk.start)
        piece = " " * (chunk.start - first) + self.text[chunk.start : chunk.end]
        stream = self.builder.parse(piece, first)
        if stream is None or stream.has_error:
            return None
        for child in stream.named_children:
            if child.type == "document":
                content = next((c for c in child.named_children if c.type in ("block_node", "flow_node")), None)
                return self.builder.node(content, -1) if content else None
        return None

    def _key(self, start: int, end: int) -> Node:
        text = self.text[start:end]
        span = Span(start, end)
        if text[:1] == '"':
            mapped = scalars.double_quoted(self.builder.source, span)
            return Scalar(span, mapped, mapped.text, "double")
        if text[:1] == "'":
            mapped = scalars.single_quoted(self.builder.source, span)
            return Scalar(span, mapped, mapped.text, "single")
        return Scalar(span, MappedText.verbatim(text, start), text)

    def _broken(self, start: int, end: int) -> Scalar:
        """Text that is no YAML, kept as it stands, and the fault that says why."""
        end = start + len(self.text[start:end].rstrip())
        span, message = diagnose(self.text, start, end)
        self.builder.faults.append(Fault(span, message))
        text = MappedText.verbatim(self.text[start:end], start)
        return Scalar(Span(start, end), text, text.text, broken=True)


_NO_TEXT = frozenset("@`%*&!")
"""What YAML has other uses for at the start of a value."""


def _of_header(text: str, start: int, end: int) -> str:
    """What is wrong with a block text that can't be read, and whose lines are indented as they should be."""
    if (lines := lines_in(text, start, end) - 1) >= MOST_LINES and _HEADER.match(text, start):
        return f"this text has {lines:,} lines; {_TOO_LONG}"
    return _NO_HEADER


_HEADER = re.compile(r"[|>](?:[+-]?[1-9]?|[1-9][+-])[ \t]*(?:[ \t]#[^\r\n]*)?(?=[\r\n])")
_TOO_LONG = f"Rolebook reads no more than {MOST_LINES:,}"
_TAB = re.compile(r"(?:^|[\r\n]) *\t(?=[^\r\n])")
_TABBED = "YAML is indented with blanks; this is a tab"
_MORE_INDENTED = "this entry is indented more than the one before it, which has its value already"
SECOND_DOCUMENT = "a definition is one YAML document; a second one starts here and is left out"
_NO_HEADER = "this is no header of a block text; write `|` or `>` alone, and the text below it"
_LESS_INDENTED = "this line is indented less than the text that it seems to belong to"


def diagnose(text: str, start: int, end: int) -> tuple[Span, str]:
    """What is most likely wrong with a piece of text that is no YAML, and where."""
    line_end = _line_end(text, start, end)
    line = text[start:line_end]
    whole = Span(start, max(start + len(line.rstrip()), start))
    indent = text[_line_start(text, start) : start]
    if "\t" in indent:
        return Span(start - len(indent), start), _TABBED
    if (tab := _TAB.search(text, start, end)) is not None:
        return Span(tab.end() - 1, tab.end()), _TABBED
    if line[:1] in ("'", '"'):
        quote = line[0]
        body = text[start + 1 : end]
        closed = re.match(r'(?:[^"\\]|\\.)*"' if quote == '"' else r"(?:[^']|'')*'", body, re.DOTALL)
        if closed is None:
            return Span(start, start + 1), f"this {quote} is never closed"
        after = start + 1 + closed.end()
        if quote == '"' and re.search(r"\\[^0abt\tnvfre \"/\\N_LPxuU\r\n]", closed.group()):
            escape = re.search(r"\\[^0abt\tnvfre \"/\\N_LPxuU\r\n]", text[start:after])
            assert escape is not None
            return Span(
                start + escape.start(), start + escape.end()
            ), f"`{escape.group()}` is no escape of YAML; write `\\\\` for a backslash"
        return Span(
            after, max(_line_end(text, after, end), after + 1)
        ), "text after the closing quote; quote the whole value"
    if line[:1] in ("{", "["):
        close = "}" if line[0] == "{" else "]"
        at = line.rfind(close)
        if at >= 0 and line[at + 1 :].strip():
            return Span(start, line_end), (
                f"a value starting with `{line[0]}` is read as YAML; no text can follow `{close}`; quote it or use `|`"
            )
        return Span(start, start + 1), f"this `{line[0]}` and what follows can't be read; is a `{close}` missing?"
    if line[:1] in ("|", ">"):
        return whole, _NO_HEADER
    if line[:1] in _NO_TEXT or line[:2] in ("- ", "? "):
        begin = line[:1] if line[:1] != "`" else "a backtick"
        shown = begin if line[:1] == "`" else f"`{begin}`"
        return Span(start, start + 1), f"an unquoted text can't start with {shown}; quote it or use `|`"
    if (comment := re.search(r"[ \t]#", line)) is not None and text[line_end:end].strip():
        at = start + comment.end() - 1
        return Span(at, at + 1), "a `#` after a blank starts a comment, which ends the text; quote it or use `|`"
    if (colon := re.search(r":(?=[ \t]|$)", line)) is not None and line[: colon.start()].strip():
        at = start + colon.start()
        return Span(at, at + 1), "an unquoted `: ` starts a new key; quote the text or use `|`"
    return whole, "this is no YAML here; check the indentation, the `:` and the quotes"


def _cut(text: str, start: int, end: int) -> list[_Chunk]:
    """The chunks at the outermost level between two offsets. Blank and comment lines belong to what is above."""
    chunks: list[_Chunk] = []
    level = None
    at = start
    while at < end:
        line = _LINE.match(text, at, end)
        assert line is not None
        stop = line.end() if line.end() > at else end
        body = line.group().strip()
        if body and not body.startswith("#"):
            first = at + len(line.group()) - len(line.group().lstrip(" \t"))
            column = first - _line_start(text, first)
            level = column if level is None else level
            if not chunks or column < level or (column == level and not _continues(text, first, chunks)):
                level = min(level, column)
                chunks.append(_Chunk(first, stop, column))
        if chunks:
            chunks[-1] = chunks[-1]._replace(end=stop)
        at = stop
    return chunks


def _continues(text: str, line: int, chunks: list[_Chunk]) -> bool:
    """Whether a line at the level of the chunks belongs to the last one: an item of a list that stands as deep as its
    key, or the `:` of a key that was written with `?`."""
    dash = _DASH.match(text, line) is not None and not _DASH.match(text, chunks[0].start)
    return dash or _COLON.match(text, line) is not None


def _first_document(source: str) -> tuple[int, int]:
    """Where the first document's content starts and ends, between `---` lines and after directives."""
    start = 1 if source.startswith("\ufeff") else 0
    opened = re.compile(r"(?>(?>%[^\r\n]*|#[^\r\n]*|[ \t]*)(?>\r\n|\n|\r))*---(?=[ \t\r\n]|$)").match(source, start)
    start = opened.end() if opened else start
    closed = re.compile(r"^(?:(?:---|\.\.\.)(?=[ \t\r\n]|$)|%)", re.MULTILINE).search(source, start)
    return start, closed.start() if closed else len(source)


def _first_error(node: TsNode) -> TsNode:
    while not node.is_error and not node.is_missing:
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    return node


def _on_one_line(source: str, span: Span) -> Span:
    return Span(span.start, max(_line_end(source, span.start, span.end), span.start))


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_end(text: str, start: int, end: int) -> int:
    line = re.compile(r"[^\r\n]*").match(text, start, end)
    return line.end() if line else start


def _next_line(text: str, at: int, end: int) -> int:
    line = _LINE.match(text, at, end)
    return line.end() if line else end
