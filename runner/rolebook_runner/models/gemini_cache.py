"""The `cachedContents` entries of one Gemini client: created, reused, renewed and dropped by fingerprint (spec §6).

An entry costs by the hour, so one is made only for a static half that came before, and dropped with the client.
Source: ai.google.dev/api/caching, read 2026-11.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from rolebook.json import compact
from rolebook.prompt.request import LlmRequest
from rolebook.prompt.tokens import count
from rolebook.wire import gemini
from rolebook.wire.caching import cache_minimum
from rolebook_runner.models.http import Failed, Http

LIFETIME = 600
"""Seconds that an entry lives after it was made or renewed."""

_MARGIN = 30.0  # an entry that ends within that time may end before the request arrives
_RENEWED_WITHIN = LIFETIME / 2
_DROP_WITHIN = 5.0
_MADE_WITHIN = 20.0  # a server that is slow with entries shall not keep the answer waiting
_TOLERANCE = 0.85  # counts are estimates, and an entry that is too small is only refused

_NAME = re.compile(r"cachedContents/[\w-]+")


@dataclass(slots=True)
class _Entry:
    name: str
    until: float


class GeminiCache:
    """The entries by fingerprint. `clock` tells seconds."""

    def __init__(self, http: Http, clock: Callable[[], float]) -> None:
        self._http = http
        self._clock = clock
        self._seen: set[str] = set()
        self._failed: set[str] = set()
        self._refused: set[str] = set()
        self._entries: dict[str, _Entry] = {}
        self._lock = asyncio.Lock()

    async def entry(self, request: LlmRequest) -> tuple[str | None, str | None]:
        """The name of the entry for a request, None where it goes out whole; and what went wrong, for the user."""
        least = cache_minimum("gemini", request.model)
        if least is None or not request.static_system_instruction.strip():
            return None, None
        mark = gemini.cache_fingerprint(request)
        async with self._lock:  # agents at work side by side make one entry, not two
            found = self._entries.get(mark)
            if found is not None and found.until - self._clock() > _MARGIN:
                await self._renew(found)
                return found.name, None
            if mark in self._refused or mark not in self._seen:
                self._seen.add(mark)
                return None, None
            if count(compact(gemini.cache_entry(request)), request.model).tokens < least * _TOLERANCE:
                self._refused.add(mark)
                return None, None
            return await self._create(mark, request)

    def forget(self, request: LlmRequest) -> None:
        """Makes no use of the entry any more, since it failed; where another one did before, of none at all."""
        mark = gemini.cache_fingerprint(request)
        self._entries.pop(mark, None)
        (self._refused if mark in self._failed else self._failed).add(mark)

    async def drop(self) -> None:
        """Deletes the entries that still live. One that can't be deleted ends by itself."""
        entries = [entry for entry in self._entries.values() if entry.until > self._clock()]
        self._entries.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_DROP_WITHIN):
                for entry in entries:
                    with suppress(Failed):
                        await self._http.send("DELETE", entry.name)

    async def _create(self, mark: str, request: LlmRequest) -> tuple[str | None, str | None]:
        try:
            async with asyncio.timeout(_MADE_WITHIN):
                made = await self._http.send("POST", "cachedContents", gemini.cache_creation(request, LIFETIME))
            name = made.get("name")
        except Failed as failed:
            self._refused.add(mark)
            return None, f"the static half isn't cached: {failed}"
        except TimeoutError:
            self._refused.add(mark)
            return None, f"the static half isn't cached: no answer within {_MADE_WITHIN:g} s"
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            self._refused.add(mark)
            return None, "the static half isn't cached: the server names no entry"
        self._entries[mark] = _Entry(name, self._clock() + LIFETIME)
        return name, None

    async def _renew(self, entry: _Entry) -> None:
        """Gives an entry that is still in use its whole lifetime again; where that fails it serves until it ends."""
        now = self._clock()
        if entry.until - now > _RENEWED_WITHIN:
            return
        with suppress(Failed, TimeoutError):
            async with asyncio.timeout(_MADE_WITHIN):
                await self._http.send("PATCH", f"{entry.name}?updateMask=ttl", gemini.cache_renewal(LIFETIME))
            entry.until = now + LIFETIME
