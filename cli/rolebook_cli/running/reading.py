"""What the user says in a chat: one line, or several where they were pasted, continued or put between quotes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

_QUOTES = '"""'


def read_message(line: Callable[[bool], str | None]) -> str | None:
    r"""The next message, None at the end of the input.

    `line` gives the next line without its end; it is told whether that line goes on with a message. A line that ends in
    `\` is continued on the next one. Between `\"\"\"` and a line that ends in `\"\"\"` all lines are the message's.
    """
    first = line(False)
    if first is None:
        return None
    if first.lstrip().startswith(_QUOTES):
        return _quoted(first.lstrip()[len(_QUOTES) :], line)
    lines = [first]
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1][:-1]
        if (following := line(True)) is None:
            break
        lines.append(following)
    return "\n".join(lines)


def _quoted(text: str, line: Callable[[bool], str | None]) -> str:
    lines: list[str] = []
    following: str | None = text
    while following is not None:
        if following.rstrip().endswith(_QUOTES):
            lines.append(following.rstrip()[: -len(_QUOTES)])
            break
        lines.append(following)
        following = line(True)
    return "\n".join(lines).strip("\n")


class Piped:
    """Lines from something that is no terminal, without prompts."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def line(self, _: bool) -> str | None:
        line = self._stream.readline()
        return line.rstrip("\r\n") if line else None

    def ask(self, _: str) -> str | None:
        return read_message(self.line)

    def ask_line(self, _: str) -> str | None:
        """One line, which is the message as it stands."""
        return self.line(False)


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
