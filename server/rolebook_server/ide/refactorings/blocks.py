"""Lines of a definition moved to another indent, and texts written as block scalars."""

from __future__ import annotations

import re

from rolebook.text import Span, Text

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\r]")


def whole_lines(text: Text, span: Span, column: int) -> Span:
    """From the start of a node to the end of its last line, with the comments below it that are indented as it is."""
    last = text.line_of(max(span.end - 1, span.start))
    for line in range(last + 1, len(text.line_starts)):
        content = text[text.line_span(line)]
        blanks = len(content) - len(content.lstrip(" "))
        if content.strip() and not (content.lstrip().startswith("#") and blanks >= column):
            break
        if content.strip():
            last = line
    return Span(span.start, text.line_span(last).end)


def column_of(text: Text, offset: int) -> int:
    """The characters before an offset on its line."""
    return offset - text.line_span(text.line_of(offset)).start


def dedented(lines: str, column: int) -> str:
    """The lines moved to the left margin; the first begins at the column already."""
    first, *rest = _split(lines)
    moved = []
    for line in rest:
        blanks = len(line) - len(line.lstrip(" "))
        moved.append(line[min(blanks, column) :])
    return first + "".join(moved)


def indented(lines: str, column: int) -> str:
    """The lines moved to a column but for the first, which is put there by what stands before it. Empty ones stay."""
    first, *rest = _split(lines)
    return first + "".join(line if not line.strip("\r\n") else " " * column + line for line in rest)


def block_text(text: str, column: int) -> str | None:
    """A text as a literal block scalar whose lines stand at `column`, two deeper than the block around it; None where
    YAML can't hold it so.

    It begins with `|` and ends without a line end.
    """
    body = text.rstrip("\n")
    if not body or _ODD.search(text) or any(line != "" and not line.strip(" \t") for line in text.split("\n")):
        return None
    ends = len(text) - len(body)
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    hint = "2" if body[0] in " \n" else ""
    lines = [" " * column + line if line else "" for line in body.split("\n")]
    return "\n".join([f"|{hint}{chomping}", *lines, *[""] * max(ends - 1, 0)])


def _split(text: str) -> list[str]:
    return [line for line in _LINE.findall(text) if line] or [""]
