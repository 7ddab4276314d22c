"""Which parts of a prompt are code: fenced blocks and code spans of Markdown, what nests in braces, and lines that no
one would take for prose."""

from __future__ import annotations

import re
from bisect import bisect_right

from rolebook.text import Span

_FENCE = re.compile(r"^[ \t]*+(```++|~~~++)[^\n]*+$", re.MULTILINE)
_TICKS = re.compile(r"`++|\n")
_BRACE = re.compile(r"[{}]")
_SIGNS = re.compile(
    r"""=>|;\s*(?:$|\}|//)|\\[A-Za-z]+\s?[\[{]|\b[fr]["']|\b(?:import|export|const|let|var|struct|enum) \{"""
)
_HINTS = re.compile(r"\s[:=]?==?\s|;")
"""Signs that prose may have as well."""
_BEFORE_CODE = frozenset("\\^_$#%@&}{")
_WIDEST = 80
"""How many characters of a line are looked at on either side, so that a long line isn't read once for each brace."""


class Code:
    """The code in one text. Each question is answered without reading the text again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._marked = _marked(text) if "`" in text or "~~~" in text else []
        self._starts = [span.start for span in self._marked]
        self._closed, self._steps, self._depths = _pairs(text)

    def is_marked(self, offset: int) -> bool:
        """Whether Markdown shows this place as code."""
        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and offset < self._marked[at].end

    def is_nested(self, offset: int) -> bool:
        """Whether this place lies between two braces that belong together, as in JSON and in most languages."""
        at = bisect_right(self._steps, offset) - 1
        return at >= 0 and self._depths[at] > 0

    def is_closed(self, offset: int) -> bool:
        """Whether the opening brace at `offset` has its partner further on, be it lines away."""
        return offset in self._closed

    def looks_like_code(self, span: Span) -> bool:
        """Whether what stands before these brackets, or on their line, is written as no prose is."""
        before = self.text[span.start - 1 : span.start]
        if before in _BEFORE_CODE or (before.isascii() and before.isalnum()):
            return True
        return _SIGNS.search(self._line(span)) is not None

    def is_prose(self, span: Span) -> bool:
        """Whether none of these signs speaks for code."""
        if self.is_marked(span.start) or self.is_nested(span.start) or self.looks_like_code(span):
            return False
        return _HINTS.search(self._line(span)) is None

    def _line(self, span: Span) -> str:
        start = max(self.text.rfind("\n", max(span.start - _WIDEST, 0), span.start) + 1, span.start - _WIDEST, 0)
        stop = self.text.find("\n", span.end, span.end + _WIDEST)
        return self.text[start : stop if stop >= 0 else span.end + _WIDEST]


def _marked(text: str) -> list[Span]:
    """The fenced blocks and code spans in order; a block that is never closed reaches to the end."""
    found: list[Span] = []
    fence = ""
    start = done = 0
    for line in _FENCE.finditer(text):
        if not fence:
            found += _code_spans(text, done, line.start())
            fence, start = line[1], line.start()
        elif line[1].startswith(fence):
            found.append(Span(start, line.end()))
            fence, done = "", line.end()
    return [*found, Span(start, len(text))] if fence else [*found, *_code_spans(text, done, len(text))]


def _code_spans(text: str, start: int, end: int) -> list[Span]:
    """What stands between two runs of backticks of one length on one line."""
    found: list[Span] = []
    runs: list[re.Match[str]] = []
    for tick in _TICKS.finditer(text, start, end):
        if tick.group() == "\n":
            found += _on_line(runs)
            runs = []
        else:
            runs.append(tick)
    return found + _on_line(runs)


def _on_line(runs: list[re.Match[str]]) -> list[Span]:
    partners: dict[int, int] = {}
    later: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index].group())
        if length in later:
            partners[index] = later[length]
        later[length] = index
    found: list[Span] = []
    index = 0
    while index < len(runs):
        if index in partners:
            found.append(Span(runs[index].start(), runs[partners[index]].end()))
            index = partners[index]
        index += 1
    return found


def _pairs(text: str) -> tuple[frozenset[int], list[int], list[int]]:
    """Where braces with a partner open, and offsets from which so many of them are open.

    Braces without a partner don't count.
    """
    opened: list[int] = []
    closed: set[int] = set()
    change: dict[int, int] = {}
    for brace in _BRACE.finditer(text):
        at = brace.start()
        if brace.group() == "{":
            opened.append(at)
        elif opened:
            start = opened.pop()
            closed.add(start)
            change[start + 1] = change.get(start + 1, 0) + 1
            change[at] = change.get(at, 0) - 1
    steps = sorted(change)
    depths, depth = [], 0
    for step in steps:
        depth += change[step]
        depths.append(depth)
    return frozenset(closed), steps, depths
