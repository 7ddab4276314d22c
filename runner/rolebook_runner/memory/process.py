"""A memory that lives as long as the process."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rolebook_runner.memory.memory import LIMIT, Memo
from rolebook_runner.memory.words import asked, words
from rolebook_runner.sessions.store import SessionKey


@dataclass(frozen=True, slots=True)
class _Kept:
    memo: Memo
    words: Counter[str]


class ProcessMemory:
    """Ranks by how often the query's words occur, rare words first, as BM25 does without regard to length."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[_Kept]] = {}

    async def add(self, key: SessionKey, memos: Sequence[Memo]) -> None:
        kept = self._kept.setdefault((key.app, key.user), [])
        kept += [_Kept(memo, Counter(words(memo.text))) for memo in memos]

    async def search(self, app: str, user: str, query: str, limit: int = LIMIT) -> tuple[Memo, ...]:
        kept = self._kept.get((app, user), [])
        wanted = asked(query)
        weights = {word: math.log(1 + len(kept) / (1 + sum(word in held.words for held in kept))) for word in wanted}

        def score(held: _Kept) -> float:
            return sum(weights[word] * held.words[word] / (held.words[word] + 1.2) for word in wanted)

        ranked = sorted(((score(held), index) for index, held in enumerate(kept)), reverse=True)
        return tuple(kept[index].memo for value, index in ranked[: max(limit, 0)] if value > 0)

    async def forget(self, key: SessionKey) -> None:
        kept = self._kept.get((key.app, key.user), [])
        kept[:] = [held for held in kept if held.memo.session != key.id]
