"""Which parts of a prompt are code: fenced blocks and code spans of Markdown, what nests in braces, and lines that no
one would take for prose."""

from __future__ import annotations

import re
from bisect import bisect_right

from rolebook.text import Span

_FENCE = re.compile(r"^[ \t]*+(```++|~~~++)[^\n]*+$", re.MULTILINE)
_CODE_SPAN = re.compile(r"(?<!`)(`++)[^`\n]++\1(?!`)")
_BRACE = re.compile(r"[{}]")
_SIGNS = re.compile(r"""=>|;|\s==?\s|\\[A-Za-z]+\s?[\[{]|\b[fr]["']|\b(?:import|export|const|let|var|struct|enum) \{""")
_BEFORE_CODE = frozenset("\\^_$#%@&}{")
_WIDEST = 80
"""How many characters of a line are looked at on either side, so that a long line isn't read once for each brace."""


class Code:
    """The code in one text. Each question is answered without reading the text again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._marked = _marked(text) if "`" in text or "~~~" in text else []
        self._starts = [span.start for span in self._marked]
        self._steps, self._depths = _depths(text)

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
        at = bisect_right(self._steps, offset + 1) - 1
        return at >= 0 and self._steps[at] == offset + 1

    def looks_like_code(self, span: Span) -> bool:
        """Whether what stands before these brackets, or on their line, is written as no prose is."""
        before = self.text[span.start - 1 : span.start]
        if before in _BEFORE_CODE or (before.isascii() and before.isalnum()):
            return True
        start = max(self.text.rfind("\n", max(span.start - _WIDEST, 0), span.start) + 1, span.start - _WIDEST, 0)
        stop = self.text.find("\n", span.end, span.end + _WIDEST)
        line = self.text[start : stop if stop >= 0 else span.end + _WIDEST]
        return _SIGNS.search(line) is not None

    def is_prose(self, span: Span) -> bool:
        """Whether none of these signs speaks for code."""
        return not (self.is_marked(span.start) or self.is_nested(span.start) or self.looks_like_code(span))


def _marked(text: str) -> list[Span]:
    """The fenced blocks and code spans in order; a block that is never closed reaches to the end."""
    found: list[Span] = []
    fence = ""
    start = done = 0
    for line in _FENCE.finditer(text):
        if not fence:
            found += [Span(*span.span()) for span in _CODE_SPAN.finditer(text, done, line.start())]
            fence, start = line[1], line.start()
        elif line[1].startswith(fence):
            found.append(Span(start, line.end()))
            fence, done = "", line.end()
    if fence:
        return [*found, Span(start, len(text))]
    return [*found, *(Span(*span.span()) for span in _CODE_SPAN.finditer(text, done))]


def _depths(text: str) -> tuple[list[int], list[int]]:
    """Offsets from which so many pairs of braces are open; braces without a partner don't count."""
    open_at: list[int] = []
    change: dict[int, int] = {}
    for brace in _BRACE.finditer(text):
        if brace.group() == "{":
            open_at.append(brace.start())
        elif open_at:
            change[open_at.pop() + 1] = 1
            change[brace.start()] = -1
    steps = sorted(change)
    depths, depth = [], 0
    for step in steps:
        depth += change[step]
        depths.append(depth)
    return steps, depths
