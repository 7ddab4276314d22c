"""Placeholders as google-adk reads them, for `runtime = "adk-python"`.

Any run of braces around a name is one (`{name}`, `{{ name }}`), unless `$`, `{` or a backslash stands before it, which
stays in the text. Names are Python identifiers of any script. What is no name stays as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rolebook.record import Record
from rolebook.syntax.template import Placeholder
from rolebook.text import Span

_BRACES = re.compile(r"(?<![${\\])\{+([^{}]*)\}+")
_SCOPES = frozenset({"app", "user", "temp"})
_ARTIFACT = "artifact."


class Failure(Record):
    """Why google-adk ends a run at a placeholder."""

    reason: str


def adk_placeholders(text: str) -> Iterator[Placeholder]:
    """The placeholders of `text` in order."""
    for match in _BRACES.finditer(text):
        inner = match[1].strip()
        start = match.start(1) + len(match[1]) - len(match[1].lstrip())
        name = inner.removesuffix("?")
        artifact = name.startswith(_ARTIFACT)
        if artifact:
            name, start = name.removeprefix(_ARTIFACT), start + len(_ARTIFACT)
        if artifact or _is_state_key(name):
            key_span = Span(start, start + len(name))
            yield Placeholder(Span(*match.span()), name, key_span, artifact, optional=inner.endswith("?"))


def adk_value(
    placeholder: Placeholder, state: Mapping[str, object], artifacts: Mapping[str, str] | None
) -> str | Failure:
    """The text that stands in for a placeholder, or why there is none. Values go in as Python's `str` shows them.

    `artifacts` is None where the application has no artifact service, without which no artifact can be asked for.
    """
    key = placeholder.key
    if placeholder.artifact and artifacts is None:
        return Failure("there is no artifact service")
    values: Mapping[str, object] = state if not placeholder.artifact else artifacts or {}
    if key in values:
        return "" if values[key] is None else str(values[key])
    if placeholder.optional:
        return ""
    return Failure(f"there is no artifact `{key}`" if placeholder.artifact else f"nothing sets `{key}`")


def adk_fill(
    text: str, state: Mapping[str, object], artifacts: Mapping[str, str] | None
) -> tuple[str, tuple[Failure, ...]]:
    """The text with its placeholders filled, and what google-adk fails on; such placeholders stay as they stand."""
    filled: list[str] = []
    failures: list[Failure] = []
    done = 0
    for placeholder in adk_placeholders(text):
        value = adk_value(placeholder, state, artifacts)
        if isinstance(value, Failure):
            failures.append(value)
            continue
        filled += [text[done : placeholder.span.start], value]
        done = placeholder.span.end
    return "".join([*filled, text[done:]]), tuple(failures)


def _is_state_key(name: str) -> bool:
    scope, colon, own = name.rpartition(":")
    return own.isidentifier() and (not colon or scope in _SCOPES)
