"""How the commands speak: colour on a terminal only, problems with their source line, failures in one sentence."""

from __future__ import annotations

import os
import sys
from typing import Literal, TextIO

from rolebook.problem import Problem, Severity
from rolebook.text import Text

Colour = Literal["red", "yellow", "blue", "cyan", "green", "magenta", "bold", "dim"]
_CODES = {"red": 31, "yellow": 33, "blue": 34, "cyan": 36, "green": 32, "magenta": 35, "bold": 1, "dim": 2}
_OF_SEVERITY: dict[Severity, Colour] = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFO: "blue",
    Severity.HINT: "cyan",
}


class Failure(Exception):
    """The command can't be done; the message is one sentence for the user. Exit status 2."""


def paint(text: str, *colours: Colour, stream: TextIO | None = None) -> str:
    """The text in these colours where the stream is a terminal and NO_COLOR isn't set."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    codes = ";".join(str(_CODES[colour]) for colour in colours)
    return f"\x1b[{codes}m{text}\x1b[0m"


def shown_path(path: str) -> str:
    """A path as the user would write it: relative where it lies below the current folder."""
    relative = os.path.relpath(path) if os.path.splitdrive(path)[0] == os.path.splitdrive(os.getcwd())[0] else path
    return path if relative.startswith("..") else relative


def problem_text(problem: Problem, text: Text, stream: TextIO | None = None) -> str:
    """A problem in words, with its line of the source and carets below the span."""
    start = text.position(problem.span.start)
    end = text.position(problem.span.end)
    colour = _OF_SEVERITY[problem.severity]
    head = (
        f"{shown_path(problem.path)}:{start.line + 1}:{start.character + 1}: "
        f"{paint(problem.severity.label, colour, 'bold', stream=stream)}: {problem.message} "
        f"{paint(f'[{problem.rule}]', 'dim', stream=stream)}"
    )
    if not text.source:
        return head
    line = text[text.line_span(start.line)]
    last = end.character if end.line == start.line else len(line)
    width = max(last - start.character, 1)
    number = str(start.line + 1)
    shown, before, width = _excerpt(line, start.character, width)
    margin = " " * len(number)
    return "\n".join(
        [
            head,
            f"  {paint(number + ' |', 'dim', stream=stream)} {shown}",
            f"  {margin} {paint('|', 'dim', stream=stream)} {before}{paint('^' * width, colour, stream=stream)}",
        ]
    )


_WIDEST = 100


def _excerpt(line: str, start: int, width: int) -> tuple[str, str, int]:
    """At most `_WIDEST` characters of a line around a span, the blanks before its carets, and how many carets."""
    line = line.replace("\t", " ")
    if len(line) <= _WIDEST:
        return line, " " * _columns(line[:start]), min(_columns(line[start : start + width]) or 1, _WIDEST)
    left = max(0, min(start - 30, len(line) - _WIDEST))
    cut = line[left : left + _WIDEST]
    head = "…" if left else ""
    tail = "…" if left + _WIDEST < len(line) else ""
    inside = cut[start - left : start - left + width]
    return f"{head}{cut}{tail}", " " * (len(head) + _columns(cut[: start - left])), max(_columns(inside), 1)


def _columns(text: str) -> int:
    """How many terminal columns a text takes; East Asian wide characters and emoji take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
