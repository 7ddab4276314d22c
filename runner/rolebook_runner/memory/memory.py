"""The protocol of a memory: the texts of all turns that came to their end, searchable by their words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rolebook_runner.sessions.store import SessionKey

LIMIT = 10
"""How many memos a search gives where nobody says."""


@dataclass(frozen=True, slots=True)
class Memo:
    """One text that was said: by `author` (`user`, or an agent's name), in `session`; `time` is UTC in ISO 8601."""

    session: str
    author: str
    text: str
    time: str


class Memory(Protocol):
    """Each user of an app has memories of their own. Any method may raise StoreError."""

    async def add(self, key: SessionKey, memos: Sequence[Memo]) -> None:
        """Keeps these texts of the session."""
        ...

    async def search(self, app: str, user: str, query: str, limit: int = LIMIT) -> tuple[Memo, ...]:
        """The texts that share words with the query, the best match first.

        The query is plain text: quotes and operators mean nothing in it. One without a word finds nothing.
        """
        ...

    async def forget(self, key: SessionKey) -> None:
        """Drops the texts of the session."""
        ...


class UserMemory:
    """`context.memory`: what the user of a run has said and been told, in this session and in others.

    The memory is asked on the loop on which this was made: the user's functions are on another.
    """

    def __init__(self, memory: Memory, app: str, user: str) -> None:
        self._home = asyncio.get_running_loop()
        self._memory = memory
        self._app, self._user = app, user

    async def search(self, query: str, limit: int = LIMIT) -> tuple[Memo, ...]:
        """As `Memory.search`."""
        found = self._memory.search(self._app, self._user, query, limit)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(found, self._home))
