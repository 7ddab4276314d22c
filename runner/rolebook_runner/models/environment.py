"""Keys and addresses: from the environment, or from a `.env` beside the definition. Never from a definition file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

# A file may have come with somebody else's repository, so each of these reads a line in linear time.
_LINE = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=(?P<value>.*)", re.ASCII | re.DOTALL)
_QUOTED = re.compile(r"""(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>[^']*)')\s*(?:#.*)?""")
_COMMENT = re.compile(r"(?:^|\s)#")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Secret:
    """A key. It shows itself only to `reveal`, never in a message, a log or a traceback."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def censor(self, text: str) -> str:
        """The text without the key, for what a server says."""
        return text.replace(self._value, "…") if self._value else text

    def __repr__(self) -> str:
        return "Secret(…)"


def environment(folder: str) -> dict[str, str]:
    """The process's environment over what the `.env` in this folder sets; an empty variable counts as not set."""
    try:
        with open(os.path.join(folder, ".env"), encoding="utf-8-sig", errors="replace") as file:
            written = dict(read_env(file.read()))
    except OSError:
        written = {}
    return {name: value for name, value in {**written, **_set(os.environ)}.items() if value}


def read_env(text: str) -> Iterator[tuple[str, str]]:
    """The variables of a `.env` file: `NAME=value`, also with `export`, quotes and comments. Other lines don't count.

    Double quotes know `\\n`, `\\t` and `\\"`; in single quotes and without quotes everything stands for itself.
    """
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        value = match["value"].strip()
        quoted = _QUOTED.fullmatch(value)
        if quoted is None:
            comment = _COMMENT.search(value)
            yield match["name"], value[: comment.start()].rstrip() if comment else value
        elif quoted["double"] is not None:
            yield match["name"], re.sub(r"\\(.)", lambda char: _ESCAPES.get(char[1], char[1]), quoted["double"])
        else:
            yield match["name"], quoted["single"]


def _set(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if value}
