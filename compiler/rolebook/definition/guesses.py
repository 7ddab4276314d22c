"""Plain words of which YAML 1.1 makes something else, in places that take any value, so that no type tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.definition.finding import Finding
from rolebook.json import compact
from rolebook.problem import Fix
from rolebook.syntax.yaml import Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import json_of
from rolebook.syntax.yaml.quote import quoted
from rolebook.text import Edit

_NOT_AS_WRITTEN = re.compile(
    r"[-+]?(?:0[0-7_]+|0[xb][\da-fA-F_]+|\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?|[1-9]\d*\.\d*0)", re.ASCII
)
"""Numbers that are shown in another way than they are written: octal and hexadecimal ones, times, versions."""


def guesses_below(node: Node) -> Iterator[Finding]:
    """The words in a value that are likely meant as texts. Aliases share nodes, so each is looked at once."""
    pending, seen = [node], {id(node)}
    for inner in pending:
        if isinstance(inner, Scalar):
            if inner.style == "plain" and not inner.broken and _is_guessed(inner):
                yield _guessed(inner)
            continue
        below = inner.items if isinstance(inner, Sequence) else [entry.value for entry in inner.entries]
        for child in below:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)


def _is_guessed(node: Scalar) -> bool:
    text, value = node.text.text, node.value
    if isinstance(value, bool):
        return text.lower() not in ("true", "false")
    if not isinstance(value, int | float) or _NOT_AS_WRITTEN.fullmatch(text) is None:
        return False
    return "." not in text or str(value) != text


def _guessed(node: Scalar) -> Finding:
    shown = compact(json_of(node))
    message = f"YAML reads `{node.text.text}` as {shown}; quote it if it is a text"
    fixes = (Fix("Quote it", (Edit(node.span, quoted(node.text.text)),), safe=False),)
    return Finding("guessed-type", node.span, message, fixes=fixes)
