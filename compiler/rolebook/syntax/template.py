"""Placeholders in instruction texts (spec §2), in both syntaxes. One regular expression finds them all in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from rolebook.record import Record
from rolebook.text import Span

TemplateSyntax = Literal["braces", "angles"]

_SCOPES = r"(?:app|user|temp):"
_BRACES = re.compile(
    rf"(?P<escape>\\)?\{{(?:(?P<key>(?:{_SCOPES})?\w+)|artifact\.(?P<file>[^{{}}?]+))(?P<optional>\?)?\}}", re.ASCII
)
_ANGLES = re.compile(
    rf"(?P<escape>\\)?<(?:(?P<key>(?:{_SCOPES})?[A-Za-z_]\w*)|artifact\.(?P<file>[^<>?]+))(?P<optional>\?)?>", re.ASCII
)
_CLOSING_TAG = re.compile(r"</([A-Za-z_]\w*)\s*>", re.ASCII)

_LONGEST_REMEMBERED = 200_000
"""Code points of a text whose placeholders are kept, so that what is kept stays small."""


class Placeholder(Record):
    """One placeholder in a text; all spans are counted in that text.

    `key` is the state key with its scope (`user:lang`), or the name of an artifact's file. An escaped one is plain
    text: its backslash is dropped and nothing is looked up.
    """

    span: Span
    key: str
    key_span: Span
    artifact: bool = False
    optional: bool = False
    escaped: bool = False


def placeholders(text: str, syntax: TemplateSyntax = "braces") -> Iterator[Placeholder]:
    """The well-formed placeholders of `text` in order. Anything else is plain text."""
    return iter(_remembered(text, syntax)) if len(text) <= _LONGEST_REMEMBERED else _find(text, syntax)


@lru_cache(maxsize=32)
def _remembered(text: str, syntax: TemplateSyntax) -> tuple[Placeholder, ...]:
    """Half a dozen rules ask about the same text one after another."""
    return tuple(_find(text, syntax))


def _find(text: str, syntax: TemplateSyntax) -> Iterator[Placeholder]:
    markup = frozenset(_CLOSING_TAG.findall(text)) if syntax == "angles" else frozenset()
    for match in (_ANGLES if syntax == "angles" else _BRACES).finditer(text):
        key, file = match["key"], match["file"]
        escaped = match["escape"] is not None
        if not escaped and key in markup:
            continue  # a tag with a closing partner is markup
        group = "file" if key is None else "key"
        yield Placeholder(
            Span(*match.span()),
            file if key is None else key,
            Span(*match.span(group)),
            artifact=key is None,
            optional=match["optional"] is not None,
            escaped=escaped,
        )
