"""Where PyYAML is more lenient than tree-sitter's grammar: a text of the same length that both read.

Only the structure is taken from it; scalars are decoded from the source itself, so what is masked here loses nothing.
"""

from __future__ import annotations

import re
from itertools import islice

_OPENING = re.compile(r"""(?:(?<=[:?-][ \t])|^)[ \t]*(["'\[{])""", re.MULTILINE)
_TOKEN = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\[\]{}]""", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|$)")
_GLUED_COMMENT = re.compile(r"""(?<=["'\]},])#[^\r\n]*""")
_LONE_DASH = re.compile(r"(?<=[\[,])([ ]*)-(?=[ ]*[,\]])")
_MOST_TOKENS = 20_000
"""Quotes and brackets that are looked at in one text: values that never end would else be searched again and again."""
_LINE_BREAK = re.compile(r"[\r\n\t]")


def lenient(text: str) -> str:
    """`text` with quoted and flow values on one line, comments right behind an indicator blanked, lone dashes in flow
    sequences made words; the same text where there is none of that."""
    text = _GLUED_COMMENT.sub(lambda match: " " * len(match.group()), text)
    text = _LONE_DASH.sub(r"\1x", text)
    at, left = 0, _MOST_TOKENS
    while left > 0 and (opening := _OPENING.search(text, at)) is not None:
        start = opening.start(1)
        end, seen = _closing(text, start, left)
        left -= seen
        if end is None or not _REST_OF_LINE.match(text, end):
            at = opening.end()
            continue
        text = text[:start] + _LINE_BREAK.sub(" ", text[start:end]) + text[end:]
        at = end
    return text


def _closing(text: str, start: int, most: int) -> tuple[int | None, int]:
    """The offset after the quoted or flow value that starts at `start`, and how many tokens were looked at for it.

    None where it never ends, or not within `most` tokens.
    """
    depth = count = 0
    for count, token in enumerate(islice(_TOKEN.finditer(text, start), most), 1):
        first = token.group()[0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        if depth == 0:
            return token.end(), count
    return None, count + 1
