"""A model behind an HTTP API: compile's own body goes out, its stream comes back as events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from rolebook import wire
from rolebook.prompt.request import LlmRequest
from rolebook.wire import Wire
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.http import Failed, Http, Sleep, refuse_holes
from rolebook_runner.models.model import Item, Remark
from rolebook_runner.models.retry import ATTEMPTS
from rolebook_runner.models.traffic import Traffic


class Remote:
    """One provider at one address. `sleep` waits between attempts; `name` is what messages call it, else its host."""

    def __init__(
        self,
        provider: wire.Provider,
        base_url: str,
        key: Secret | None,
        headers: Mapping[str, str],
        sleep: Sleep | None,
        traffic: Traffic | None = None,
        *,
        attempts: int = ATTEMPTS,
        name: str | None = None,
    ) -> None:
        self.provider = provider
        self.http = Http(base_url, key, headers, sleep, traffic, attempts=attempts, name=name)

    async def aclose(self) -> None:
        await self.http.aclose()

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
        """The answer. Raises RunError where there is none."""
        refuse_holes(request)
        try:
            async with aclosing(self.answer(request, wire.body(request, self.provider))) as items:
                async for item in items:
                    yield item
        except Failed as failed:
            raise RunError(str(failed)) from None

    async def answer(self, request: LlmRequest, sent: Wire) -> AsyncGenerator[Item, None]:
        """What this body gives, after a remark for each thing that it can't honour. Raises Failed and RunError."""
        for warning in sent.warnings:
            yield Remark(warning)
        path, body = wire.path(self.provider, request.model), wire.encode(sent.payload)
        async with aclosing(self.http.answer(path, body, lambda: wire.answer(self.provider))) as items:
            async for item in items:
                yield item
