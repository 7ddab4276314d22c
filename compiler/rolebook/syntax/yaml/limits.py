"""Keeps tree-sitter-yaml from what it can't take: its scanner writes past its buffer at about 250 open block levels.

So nothing that could open that many is ever handed to it. Offsets stay as they are.
"""

from __future__ import annotations

import re

MOST_NESTED = 100
"""Collections inside of each other, aliases followed; PyYAML itself gives up at a few hundred."""

MOST_LINES = 32_766
"""Lines of a block text or collection that tree-sitter-yaml can count; it reports an error in a longer one."""

RUN = re.compile(rf"(?:[-?:](?:[ \t]+|$)){{{MOST_NESTED},}}")
"""A row of indicators that each may open a level. Inside of a text it means nothing; elsewhere it nests too deeply."""

_MOST_LEVELS = 200
"""Levels that a text may open for the scanner, those counted that only its error recovery could see."""
_MAY_BE_DEEP = re.compile(r"(?:^|[\r\n])[ \t?:-]{60}|(?:[-?:][ \t]+){20}")
_LINE = re.compile(r"(?:^|[\r\n])([ ]*+)(?![\r\n]|$)([^\r\n]*+)")
_ROW = re.compile(r"(?:^|(?<=[ \t]))[-?:](?=[ \t]|$)(?:[ \t]++[-?:](?=[ \t]|$))*+")
_SHORT_ROW = 4
"""Indicators in a row inside of a line that mean nothing: prose has a dash or a colon now and then."""


def tamed(piece: str) -> str | None:
    """`piece` with rows of indicators masked; None where what is left nests too deeply."""
    masked = RUN.sub(lambda run: "x" * len(run.group()), piece)
    return None if _MAY_BE_DEEP.search(masked) is not None and _levels(masked) > _MOST_LEVELS else masked


def _levels(text: str) -> int:
    """How many block levels the lines of a text could open: one at each indent and at each indicator of a row."""
    levels: list[int] = []
    deepest = 0
    for line in _LINE.finditer(text):
        indent = len(line[1])
        while levels and levels[-1] >= indent:
            levels.pop()
        levels.append(indent)
        for row in _ROW.finditer(line[2]):
            places = [indent + row.start() + at for at, char in enumerate(row.group()) if char in "-?:"]
            if row.start() == 0 or len(places) > _SHORT_ROW:
                levels += [place for place in places if place > levels[-1]]
        deepest = max(deepest, len(levels))
    return deepest


def lines_in(text: str, start: int, end: int) -> int:
    """How many lines end in a piece of a text."""
    return max(text.count("\n", start, end), text.count("\r", start, end))
