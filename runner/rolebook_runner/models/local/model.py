"""A GGUF file as a model: its server is started with the first call and serves all calls of a runner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from rolebook import wire
from rolebook.prompt.request import LlmRequest
from rolebook_runner.errors import RunError
from rolebook_runner.models.http import Failed, refuse_holes
from rolebook_runner.models.local.files import Gguf
from rolebook_runner.models.local.process import Child
from rolebook_runner.models.model import Item
from rolebook_runner.models.remote import Remote
from rolebook_runner.models.traffic import Traffic

_NOTICED = 2.0
"""Seconds. A process that ended is reported a little later than its connections break."""


class Local:
    """One file. Calls at the same time share its server; one that ended is started anew by the next call."""

    def __init__(self, file: Gguf, traffic: Traffic | None = None) -> None:
        self._file = file
        self._traffic = traffic
        self._starting: asyncio.Task[_Served] | None = None

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
        """The answer. Raises RunError where there is none, naming the reason where the process ended."""
        refuse_holes(request)
        served = await self._served()
        try:
            async with aclosing(served.remote.answer(request, wire.body(request, "openai"))) as items:
                async for item in items:
                    yield item
        except (Failed, RunError) as failed:
            raise RunError(await self._told(served.child, failed)) from None

    async def count(self, request: LlmRequest) -> int:
        """The tokens of the request as the model's own template and tokenizer make them. Raises RunError."""
        served = await self._served()
        payload = wire.body(request, "openai", stream=False).payload
        try:
            answer = await served.remote.http.send("POST", "chat/completions/input_tokens", payload)
        except Failed as failed:
            raise RunError(await self._told(served.child, failed)) from None
        if not isinstance(number := answer.get("input_tokens"), int):
            raise RunError("llama.cpp's answer holds no count")
        return number

    def kill(self) -> None:
        """Ends the process without waiting for it; `aclose` is to follow."""
        if self._starting is None:
            return
        self._starting.cancel()
        if (served := _result(self._starting)) is not None:
            served.child.kill()

    async def aclose(self) -> None:
        self.kill()
        starting, self._starting = self._starting, None
        if starting is None:
            return
        await asyncio.wait([starting])
        if (served := _result(starting)) is not None:
            await served.aclose()

    async def _served(self) -> _Served:
        """The server, once it is ready. Who stops waiting doesn't stop it from being loaded for the others."""
        gone = self._starting if self._starting is not None and _is_gone(self._starting) else None
        if self._starting is None or gone is not None:
            self._starting = asyncio.create_task(_serve(self._file, self._traffic, gone))
            self._starting.add_done_callback(_retrieved)
        starting = self._starting
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            if starting.cancelled() and self._starting is not starting:
                raise RunError(f"the model `{self._file.model}` was closed while it was loaded") from None
            raise

    async def _told(self, child: Child, failed: Exception) -> str:
        spoken = isinstance(failed, Failed) and failed.error is not None
        why = None if spoken else await child.why_ended(_NOTICED)
        return str(failed) if why is None else f"the model `{self._file.model}` stopped in the middle: {why}"


class _Served:
    def __init__(self, child: Child, traffic: Traffic | None) -> None:
        self.child = child
        headers = {"authorization": f"Bearer {child.key.reveal()}"}
        self.remote = Remote("openai", child.url, child.key, headers, None, traffic, attempts=1, name=child.file.model)

    async def aclose(self) -> None:
        await self.child.end()
        await self.remote.aclose()


async def _serve(file: Gguf, traffic: Traffic | None, gone: asyncio.Task[_Served] | None) -> _Served:
    """A new server; what is left of one that is gone is put away first."""
    if gone is not None and (left := _result(gone)) is not None:
        await left.aclose()
    return _Served(await Child.start(file), traffic)


def _is_gone(starting: asyncio.Task[_Served]) -> bool:
    served = _result(starting)
    return starting.done() and (served is None or served.child.ended)


def _result(starting: asyncio.Task[_Served]) -> _Served | None:
    """The server, None while it loads and where there is none."""
    if not starting.done() or starting.cancelled() or starting.exception() is not None:
        return None
    return starting.result()


def _retrieved(starting: asyncio.Task[_Served]) -> None:
    """Whoever waits gets the exception; where nobody waits any more it is of no use to a log."""
    if not starting.cancelled():
        starting.exception()
