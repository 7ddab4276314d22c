"""Counts by a model's own vocabulary, which `splintr` carries inside. Loaded when first used: that takes 0.1 to 0.6 s.

How it must be called was measured, see docs/tokens.md: its plain encoding takes `<|im_start|>` for one token, the
ordinary one splits `<table>`, which is a token of Gemma 3. So a text goes through the first, and the second serves
where a special token is spelled out. Texts are cut into pieces, since a run of one character takes time that grows
with the square of its length; between two words no token spans the cut, so nothing changes in the count.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

_PIECE, _HARD = 20_000, 4_000
"""Characters in a piece at most, and in one without two words side by side: of such a one Gemma's takes up to 10 ms."""

_BETWEEN_WORDS = re.compile(r"(?<=[A-Za-z]) (?=[A-Za-z])")
_NFC_STEP = re.compile(r"[\x00-\x7f]*[^\x00-\x7f]{0,1000}")

_NORMALIZED = frozenset({"qwen3"})
"""Vocabularies whose tokenizer brings a text into Unicode's form NFC first."""

_BLANK_BEFORE_TEXT = frozenset({"llama2", "mistral_v1", "mistral_v2"})
"""Vocabularies whose tokenizer puts a blank before each text, so that a piece begins behind the blank of its cut."""

_MARKUP = frozenset({"gemma2", "gemma3"})
"""Vocabularies with HTML tags as tokens."""


class Counted(NamedTuple):
    """`seams` is how many tokens the count may be off by, where a text had to be cut inside a run."""

    tokens: int
    seams: int


class Vocabulary:
    """One vocabulary. Any number of threads may count by it at a time; counting releases the GIL."""

    def __init__(self, name: str, tokenizer: Any) -> None:
        self.name = name
        self._tokenizer = tokenizer
        specials = sorted(tokenizer.special_tokens(), key=len, reverse=True)
        self._heads = {special[:2] for special in specials}
        self._specials = re.compile("|".join(map(re.escape, specials)))

    def count(self, text: str) -> Counted:
        """The tokens of `text`. Raises RuntimeError where the library refuses the text."""
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no text for it
        if self.name in _NORMALIZED:
            text = _nfc(text)
        try:
            if any(head in text for head in self._heads) and self._specials.search(text):
                return self._with_specials(text)
            pieces, seams = self._pieces(text)
            return Counted(self._flat(pieces), seams)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of Rust is no Exception
            raise RuntimeError(f"{self.name}: {error}") from None

    def _flat(self, pieces: list[str]) -> int:
        return sum(len(ids) for ids in self._tokenizer.encode_batch_flat(pieces)[:1]) // 4  # four bytes a token

    def _with_specials(self, text: str) -> Counted:
        """The tokens of a text that spells special tokens, which count as the ordinary text that they are."""
        pieces, seams = self._pieces(text)
        if self.name not in _MARKUP:
            return Counted(sum(len(self._tokenizer.encode_ordinary(piece)) for piece in pieces), seams)
        tokens, rest = 0, []
        for piece in pieces:
            end = 0
            for match in self._specials.finditer(piece):
                tokens += len(self._tokenizer.encode_ordinary(match[0]))
                rest.append(piece[end : match.start()])
                end = match.end()
                seams += 1
            rest.append(piece[end:])
        return Counted(tokens + self._flat([piece for piece in rest if piece]), seams)

    def _pieces(self, text: str) -> tuple[list[str], int]:
        """The text in pieces, and how many cuts fell inside a run."""
        pieces, start, seams = [], 0, 0
        while len(text) - start > _PIECE:
            cut = _BETWEEN_WORDS.search(text, start + _PIECE // 2, start + _PIECE)
            seams += cut is None
            end = cut.start() if cut is not None else start + _HARD
            pieces.append(text[start:end])
            start = end + (cut is not None and self.name in _BLANK_BEFORE_TEXT)
        if start < len(text):
            pieces.append(text[start:])
        return pieces, seams


_loaded: dict[str, Vocabulary | None] = {}
_loading = threading.Lock()


def vocabulary(name: str) -> Vocabulary | None:
    """The vocabulary, loaded at the first call, which takes up to 0.6 s and holds the GIL.

    None where `splintr` isn't installed or doesn't have it.
    """
    if name not in _loaded:
        with _loading:
            if name not in _loaded:
                _loaded[name] = _load(name)
    return _loaded[name]


def is_loaded(name: str) -> bool:
    """Whether `vocabulary` answers at once."""
    return name in _loaded


def _load(name: str) -> Vocabulary | None:
    load = _loader()
    try:
        return Vocabulary(name, load(name)) if load is not None else None
    except ValueError:  # no vocabulary of this name
        return None


def _loader() -> Callable[[str], Any] | None:
    try:
        from splintr import Tokenizer
    except ImportError:
        return None
    loader: Callable[[str], Any] = Tokenizer.from_pretrained
    return loader


def _nfc(text: str) -> str:
    """The text in form NFC. It goes in steps, since a run of combining marks takes time with its length's square."""
    if text.isascii():
        return text
    from unicodedata import normalize

    steps: Iterable[str] = _NFC_STEP.findall(text)
    return "".join(normalize("NFC", step) for step in steps)
