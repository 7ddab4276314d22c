"""Claude's counts by `ctok` (the extra `claude`), which rebuilds them from what Anthropic's own endpoint has counted.

Anthropic publishes no vocabulary, so these are estimates too, but close ones. It is pure Python: 3 ms for each KB.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

ERROR = 0.05
"""Relative; the library states none, so this is ours."""

LONGEST = 50_000
"""Characters; a longer text would take seconds, and the estimator answers."""

FRAMES = {"claude_3-4.6": 7, "claude_4.7+": 11}
"""Tokens that a request with one message has beside its text, by which `ctok` counts a text."""

_VERSIONS = {"claude_3-4.6": "3.0", "claude_4.7+": "4.7"}
_PIECE = 5_000


def count_claude(text: str, tokenizer: str) -> int | None:
    """The tokens of `text`; None where `ctok` isn't installed, the text is too long, or the library fails on it."""
    if tokenizer not in _VERSIONS or len(text) > LONGEST:
        return None
    counter = _counter()
    if counter is None:
        return None
    text = text.encode("utf-8", "replace").decode("utf-8")
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    try:
        counted = [counter(piece, _VERSIONS[tokenizer]) - FRAMES[tokenizer] for piece in pieces]
    except Exception:
        return None
    return sum(max(tokens, 1) for tokens in counted)


@cache
def _counter() -> Callable[[str, str], int] | None:
    try:
        from ctok import token_count
    except ImportError:
        return None
    counter: Callable[[str, str], int] = token_count
    return counter
