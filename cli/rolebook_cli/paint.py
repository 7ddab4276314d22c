"""Colour, on a terminal only."""

from __future__ import annotations

import os
import sys
from typing import Literal, TextIO

Colour = Literal["red", "yellow", "blue", "cyan", "green", "magenta", "bold", "dim"]
_CODES = {"red": 31, "yellow": 33, "blue": 34, "cyan": 36, "green": 32, "magenta": 35, "bold": 1, "dim": 2}


def paint(text: str, *colours: Colour, stream: TextIO | None = None) -> str:
    """The text in these colours where the stream (standard output) is a terminal and NO_COLOR isn't set."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    codes = ";".join(str(_CODES[colour]) for colour in colours)
    return f"\x1b[{codes}m{text}\x1b[0m"
