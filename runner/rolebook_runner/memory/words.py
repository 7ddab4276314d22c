"""Texts to the words that they are found by. Accents and case don't count.

Chinese, Japanese and Korean are written without blanks, or nearly so; there any two neighbours make a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import combining, normalize

_CJK = "\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+")
_MOST = 64


def words(text: str) -> Iterator[str]:
    """The words of a text that is kept, in their order."""
    for match in _RUN.finditer(_plain(text)):
        run = match[0]
        yield from (*run, *_pairs(run)) if match["cjk"] else (run,)


def asked(query: str) -> tuple[str, ...]:
    """The words of a query, each once; of a very long one the first 64."""
    found: dict[str, None] = {}
    for match in _RUN.finditer(_plain(query)):
        run = match[0]
        for word in _pairs(run) if match["cjk"] and len(run) > 1 else (run,):
            found[word] = None
            if len(found) == _MOST:
                return tuple(found)
    return tuple(found)


def _pairs(run: str) -> Iterator[str]:
    return (run[at : at + 2] for at in range(len(run) - 1))


def _plain(text: str) -> str:
    return normalize("NFC", "".join(char for char in normalize("NFKD", text.casefold()) if not combining(char)))
