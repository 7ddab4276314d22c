"""Proposals as they are written in the file: quoted where YAML would read something else."""

from __future__ import annotations

import re

from rolebook.syntax.yaml.quote import quoted
from rolebook.syntax.yaml.resolve import implicit
from rolebook_server.ide.completions.around import Around

_PLAIN = re.compile(r"[A-Za-z_./][\w./+@-]*(?::[\w./+@-]+)*")


def written(text: str, around: Around | None = None) -> str | None:
    """A text as a scalar at the cursor; None where it doesn't fit into the quotes that are there already."""
    quote = around.quote if around is not None else ""
    if quote == '"':
        return None if '"' in text or "\\" in text or "\n" in text else text
    if quote == "'":
        return text.replace("'", "''")
    return text if _PLAIN.fullmatch(text) and _is_text(text) else quoted(text)


def _is_text(text: str) -> bool:
    """Whether YAML takes a plain word for text."""
    try:
        return isinstance(implicit(text), str)
    except ValueError:
        return False
