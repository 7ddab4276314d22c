"""How the commands speak: problems with their source, failures in one sentence, nothing that a terminal would obey."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TextIO

from rolebook.problem import Problem, Related, Severity
from rolebook.text import Text
from rolebook_cli.excerpt import excerpt, visible
from rolebook_cli.paint import Colour, paint

__all__ = ["Colour", "Failure", "paint", "problem_text", "shown_path", "visible"]

_OF_SEVERITY: dict[Severity, Colour] = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFO: "blue",
    Severity.HINT: "cyan",
}
_MOST_RELATED = 5


class Failure(Exception):
    """The command can't be done; each argument is a sentence for the user. Exit status 2."""


def shown_path(path: str) -> str:
    """A path as the user would write it: relative where it lies below the current folder."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # the current folder is gone, or lies on another drive
        return path
    return path if relative.startswith("..") else relative


def problem_text(
    problem: Problem, text: Text, stream: TextIO | None = None, read: Callable[[str], Text] | None = None
) -> str:
    """A problem in words, with its lines of the source, carets below the span, related places and fixes.

    `text` is that of its file; `read` gives the texts of the files of related places, which are left out without it.
    """
    colour = _OF_SEVERITY[problem.severity]
    head = (
        f"{_place(problem, text)}: "
        f"{paint(problem.severity.label, colour, 'bold', stream=stream)}: {visible(problem.message)} "
        f"{paint(f'[{problem.rule}]', 'dim', stream=stream)}"
    )
    rows = [head, *excerpt(text, problem.span, colour, stream)]
    if read is not None:
        for other in problem.related[:_MOST_RELATED]:
            rows.append(_line("see", f"{_place(other, read(other.path))}: {visible(other.message)}", stream))
            rows += excerpt(read(other.path), other.span, "cyan", stream)
        if (more := len(problem.related) - _MOST_RELATED) > 0:
            rows.append(_line("see", f"{more:,} more place{'s' if more > 1 else ''}", stream))
        rows += [_line("fix" if fix.safe else "perhaps", visible(fix.title), stream) for fix in problem.fixes]
    return "\n".join(rows)


def _place(at: Problem | Related, text: Text) -> str:
    start = text.position(at.span.start)
    return f"{visible(shown_path(at.path))}:{start.line + 1}:{start.character + 1}"


def _line(word: str, said: str, stream: TextIO | None) -> str:
    return f"  {paint('=', 'dim', stream=stream)} {paint(word, 'bold', stream=stream)}: {said}"
