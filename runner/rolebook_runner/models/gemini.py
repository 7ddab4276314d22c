"""Gemini's `streamGenerateContent`, with the static half in a cache entry where that pays (spec §6)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from rolebook.prompt.request import LlmRequest
from rolebook.wire import gemini
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.gemini_cache import GeminiCache
from rolebook_runner.models.http import Failed, Sleep, refuse_holes
from rolebook_runner.models.model import Item, Remark
from rolebook_runner.models.remote import Remote
from rolebook_runner.models.traffic import Traffic

# What Gemini answers where an entry is gone or isn't ours (ai.google.dev/gemini-api/docs/caching, read 2026-11).
_NO_ENTRY = frozenset({400, 403, 404})


class Gemini(Remote):
    """The API at `base_url`, which ends with the version (`…/v1beta`). `clock` tells seconds."""

    def __init__(
        self,
        base_url: str,
        key: Secret | None,
        *,
        sleep: Sleep | None = None,
        clock: Callable[[], float] = time.monotonic,
        traffic: Traffic | None = None,
    ) -> None:
        headers = {"x-goog-api-key": key.reveal()} if key is not None else {}
        super().__init__("gemini", base_url, key, headers, sleep, traffic)
        self._cache = GeminiCache(self.http, clock)

    async def aclose(self) -> None:
        try:
            await self._cache.drop()
        finally:
            await super().aclose()

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
        """The answer. Where an entry fails, the request goes out whole: a cache is never why there is no answer."""
        refuse_holes(request)
        entry, problem = await self._cache.entry(request)
        if problem:
            yield Remark(problem)
        if entry is not None:
            try:
                async with aclosing(self.answer(request, gemini.cached_body(request, entry))) as items:
                    async for item in items:
                        yield item
                return
            except Failed as failed:
                if failed.error is None or failed.error.status not in _NO_ENTRY:
                    raise RunError(str(failed)) from None
                self._cache.forget(request)
        async with aclosing(super().stream(request)) as items:
            async for item in items:
                yield item
