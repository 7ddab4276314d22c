"""Standard input and output for the command alone: what the user's code prints or reads can't get between."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


@contextmanager
def own_output() -> Iterator[TextIO]:
    """Standard output, while what the user's functions print goes to standard error, from any thread.

    Where it is the process's real one, that holds for the descriptor too, so for C libraries and for processes that a
    tool starts, and it lasts: a thread of a tool's may print until the very end.
    """
    given = sys.stdout
    given.flush()
    if _number(given) != 1:
        sys.stdout = sys.stderr
        try:
            yield given
        finally:
            sys.stdout = given
        return
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    try:
        os.dup2(sys.stderr.fileno(), 1)
        sys.stdout = sys.stderr
        yield out
    finally:
        sys.stdout = given
        with suppress(OSError):  # what couldn't be written was told already
            out.close()


@contextmanager
def own_input() -> Iterator[TextIO]:
    """Standard input, of which the user's functions, and processes that they start, see nothing."""
    given = sys.stdin
    if given is None:
        yield open(os.devnull, encoding="utf-8")  # noqa: SIM115  as long as the process
        return
    if _number(given) != 0:
        yield given
        return
    own = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    yield own


def _number(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None
