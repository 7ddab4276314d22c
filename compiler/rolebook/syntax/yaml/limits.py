"""Keeps tree-sitter-yaml from what it can't take: its scanner writes past its buffer at about 250 open block levels.

So nothing that could open that many is ever handed to it. Offsets stay as they are.
"""

from __future__ import annotations

import re

MOST_NESTED = 100
"""Collections inside of each other, aliases followed; PyYAML itself gives up at a few hundred."""

RUN = re.compile(rf"(?:[-?:](?:[ \t]+|$)){{{MOST_NESTED},}}")
"""A row of indicators that each may open a level. Inside of a text it means nothing; elsewhere it nests too deeply."""

_DEEP_LINE = re.compile(rf"(?:^|[\r\n])[ ]{{{MOST_NESTED}}}")
_INDENT = re.compile(r"(?:^|[\r\n])([ ]*+)(?![\r\n]|$)")


def tamed(piece: str) -> str | None:
    """`piece` with rows of indicators masked; None where its indentation alone nests too deeply."""
    if _DEEP_LINE.search(piece) is not None:
        levels: list[int] = []
        for match in _INDENT.finditer(piece):
            indent = len(match[1])
            while levels and levels[-1] >= indent:
                levels.pop()
            levels.append(indent)
            if len(levels) > MOST_NESTED:
                return None
    return RUN.sub(lambda run: "x" * len(run.group()), piece)
