"""What was counted once isn't counted again: counts by text and vocabulary, the most recently used ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

_ENTRIES = 20_000
"""About 4 MB. A session of the editor has some hundred texts."""


class Measured(NamedTuple):
    """A count without its words: `error` is relative, 0 where the vocabulary counted the whole text itself."""

    tokens: int
    error: float


class Memory:
    """Remembers counts by a hash of their text. Any number of threads may use it at a time.

    `made` is how often something had to be counted.
    """

    def __init__(self, entries: int = _ENTRIES) -> None:
        self._entries = entries
        self._known: OrderedDict[tuple[str, bytes], Measured] = OrderedDict()
        self._lock = threading.Lock()
        self.made = 0

    def __len__(self) -> int:
        return len(self._known)

    def recall(self, text: str, way: str) -> Measured | None:
        """The count of `text` in this way of counting, if it is known."""
        key = (way, _digest(text))
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
            return found

    def measure(self, text: str, way: str, make: Callable[[str], Measured]) -> Measured:
        """The count of `text` in this way, made by `make` where it isn't known."""
        found = self.recall(text, way)
        if found is not None:
            return found
        made = make(text)  # outside of the lock, so that a long text keeps nobody waiting
        key = (way, _digest(text))
        with self._lock:
            self.made += 1
            self._known[key] = made
            while len(self._known) > self._entries:
                self._known.popitem(last=False)
        return made


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
