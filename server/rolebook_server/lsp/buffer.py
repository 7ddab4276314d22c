"""The text of an open document as lines, so that an edit costs what it touches and not what the document holds."""

from __future__ import annotations

import re

from rolebook.text import Encoding, Position, column

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


class Buffer:
    """A document's text, changed in place by the edits of one notification after another.

    Each line keeps its end, and the last one has none, so there is always a last line, be it empty.
    """

    def __init__(self, text: str) -> None:
        self._lines = _split(text)

    @property
    def text(self) -> str:
        return "".join(self._lines)

    def replace(self, start: Position, end: Position, text: str, encoding: Encoding) -> None:
        """Puts `text` in the place of what is between two positions; what lies outside is taken for the nearest place
        inside, and an end before the start for the start."""
        first, before = self._place(start, encoding)
        last, after = self._place(end, encoding)
        if (last, after) < (first, before):
            last, after = first, before
        kept, rest = self._lines[first][:before], self._lines[last][after:]
        if first > 0:  # a `\r` may meet a `\n`, or part from it
            first -= 1
            kept = self._lines[first] + kept
        if last + 1 < len(self._lines):
            last += 1
            rest += self._lines[last]
        lines = _split(kept + text + rest)
        if last + 1 < len(self._lines):
            lines.pop()  # what is behind goes on in lines of its own
        self._lines[first : last + 1] = lines

    def _place(self, position: Position, encoding: Encoding) -> tuple[int, int]:
        """The line and the code point in it that a position means."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        body = line.rstrip("\r\n") if line.endswith(("\n", "\r")) else line
        return position.line, column(body, position.character, encoding)


def _split(text: str) -> list[str]:
    """The lines with their ends; behind the last end stands one more, which is empty or unfinished."""
    lines = _LINE.findall(text)
    if lines and lines[-1] == "" and len(lines) > 1 and not lines[-2].endswith(("\n", "\r")):
        lines.pop()
    return lines or [""]
