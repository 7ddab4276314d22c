"""How many tokens a text is for a model: a count, the vocabulary that made it, and how far it may be off.

`exact` means the tokens of this text by the model's own vocabulary. What a provider puts around it is counted apart
(`framing`), and so are the parts of a request (`parts`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

from rolebook.models import Facts, Override, facts
from rolebook.prompt.tokens.claude import ERROR as CLAUDE_ERROR
from rolebook.prompt.tokens.claude import count_claude
from rolebook.prompt.tokens.estimate import estimate
from rolebook.prompt.tokens.memory import Measured, Memory
from rolebook.prompt.tokens.vocabularies import is_loaded, vocabulary
from rolebook.record import Record

__all__ = ["Count", "count", "count_at_once", "counter", "counting", "load", "tokenizer_of"]

Overrides = Mapping[str, Override]

UNKNOWN = "o200k_base"
"""What a model is counted by of which nothing is known."""

_ASSUMED, _ASSUMED_FOREIGN = 0.1, 0.3
"""The error where a vocabulary is only assumed to be the model's: for ASCII, and for a text with other scripts."""


class Count(Record):
    """`error` is relative: 0.12 is ± 12 %, and 0 where the count is exact."""

    tokens: int
    tokenizer: str
    exact: bool
    error: float

    @property
    def quality(self) -> str:
        """`exact`, or `estimate ± 12 %`."""
        return "exact" if self.exact else f"estimate ± {ceil(self.error * 100)} %"

    def __str__(self) -> str:
        about = "" if self.exact else "≈ "
        return f"{about}{self.tokens:,} token{'' if self.tokens == 1 else 's'} ({self.quality}, {self.tokenizer})"


MEMORY = Memory()
"""The counts of this process."""


def count(text: str, model: str | None, overrides: Overrides | None = None, memory: Memory = MEMORY) -> Count:
    """The tokens of `text` for `model`, written as in a definition; `overrides` are `Config.models`. Never raises.

    The first count by a vocabulary loads it, which takes up to 0.6 s; see `count_at_once`.
    """
    return count_by(facts(model, overrides), text, memory)


def count_at_once(text: str, model: str | None, overrides: Overrides | None = None, memory: Memory = MEMORY) -> Count:
    """As `count`, but what would have to be loaded first is estimated. For whoever can't wait; see `load`."""
    known = facts(model, overrides)
    tokenizer = known.tokenizer or UNKNOWN
    if is_loaded(tokenizer) or _is_claude(tokenizer) or memory.recall(text, tokenizer) is not None:
        return count_by(known, text, memory)
    return _count(known, text, memory.measure(text, f"estimate {tokenizer}", lambda text: _estimated(text, tokenizer)))


def load(model: str | None, overrides: Overrides | None = None) -> None:
    """Loads what counts for `model`, so that the next `count_at_once` is a real count. Takes up to 0.6 s."""
    tokenizer = tokenizer_of(model, overrides)
    if not _is_claude(tokenizer):
        vocabulary(tokenizer)


def counter(model: str | None, overrides: Overrides | None = None) -> Callable[[str], int]:
    """`count(text) -> int` for `model`: what the compressor's `tokenizer: model` measures with.

    The function is total, safe in threads, and remembers what it has counted.
    """
    known = facts(model, overrides)
    return lambda text: count_by(known, text).tokens


def counting(model: str | None, overrides: Overrides | None = None) -> str:
    """How texts are counted for `model`, in words: `exact, o200k_base`."""
    known = facts(model, overrides)
    if known.tokenizer is None:
        return f"estimate, as {UNKNOWN} counts"
    return f"exact, {known.tokenizer}" if known.exact else f"estimate, {known.tokenizer}"


def tokenizer_of(model: str | None, overrides: Overrides | None = None) -> str:
    """The vocabulary that counts for a model."""
    return facts(model, overrides).tokenizer or UNKNOWN


def count_by(known: Facts, text: str, memory: Memory = MEMORY) -> Count:
    """The tokens of `text` for a model of which this is known."""
    tokenizer = known.tokenizer or UNKNOWN
    return _count(known, text, memory.measure(text, tokenizer, lambda text: _measured(text, tokenizer)))


def _count(known: Facts, text: str, measured: Measured) -> Count:
    """The count with what is uncertain about the vocabulary itself."""
    error = measured.error
    if text and not (known.exact and known.tokenizer):
        error += 0 if known.tokenizer and _is_claude(known.tokenizer) else _assumed(text)
    return Count(measured.tokens, known.tokenizer or UNKNOWN, error == 0, error)


def _measured(text: str, tokenizer: str) -> Measured:
    if not text:
        return Measured(0, 0.0)
    if _is_claude(tokenizer):
        tokens = count_claude(text, tokenizer)
        return Measured(tokens, CLAUDE_ERROR) if tokens is not None else _estimated(text, tokenizer)
    known = vocabulary(tokenizer)
    if known is None:
        return _estimated(text, tokenizer)
    try:
        counted = known.count(text)
    except RuntimeError:
        return _estimated(text, tokenizer)
    return Measured(counted.tokens, counted.seams / max(counted.tokens, 1))


def _estimated(text: str, tokenizer: str) -> Measured:
    return Measured(*estimate(text, tokenizer))


def _assumed(text: str) -> float:
    return _ASSUMED if text.isascii() else _ASSUMED_FOREIGN


def _is_claude(tokenizer: str) -> bool:
    return tokenizer.startswith("claude")
