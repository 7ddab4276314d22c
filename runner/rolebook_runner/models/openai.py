"""OpenAI Chat Completions over httpx, streamed: also every server that speaks it (spec §6)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import httpx

from rolebook import wire
from rolebook.prompt.request import Hole, LlmRequest
from rolebook.wire.openai_stream import OpenAIStream
from rolebook.wire.stream import StreamError, StreamEvent
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.model import Item, Remark
from rolebook_runner.models.retry import ATTEMPTS, may_pass, wait_before

TIMES = httpx.Timeout(connect=10.0, read=300.0, write=60.0, pool=10.0)
"""Seconds. A server may load its model before the first byte, so reading waits long; the turn has its own limit."""

_EXCERPT = 300
_LONGEST_ERROR = 100_000


class OpenAI:
    """One server. `sleep` waits between attempts."""

    def __init__(
        self, base_url: str, key: Secret | None, *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        url = _address(base_url)
        self._url = f"{base_url}/chat/completions"
        self._host = url.netloc.decode("ascii", "replace")
        self._key = key
        self._sleep = sleep
        # A proxy from the environment isn't meant for a server on this machine.
        self._client = httpx.AsyncClient(timeout=TIMES, trust_env=url.host not in ("127.0.0.1", "localhost", "::1"))

    async def aclose(self) -> None:
        await self._client.aclose()

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
        """The answer. What fails in passing is tried again, but never once a part of the answer is out."""
        _refuse_holes(request)
        sent = wire.body(request, "openai")
        for warning in sent.warnings:
            yield Remark(warning)
        body = wire.encode(sent.payload)
        for attempt in range(1, ATTEMPTS + 1):
            spoken = False
            try:
                async with aclosing(self._attempt(body)) as events:
                    async for event in events:
                        spoken = True
                        yield event
                return
            except _Failed as failed:
                if spoken or not failed.may_pass or attempt == ATTEMPTS:
                    raise RunError(self._sentence(failed, attempt)) from None
                seconds = wait_before(attempt + 1, failed.retry_after)
                yield Remark(f"{self._sentence(failed, attempt)}; trying again in {seconds:.1f} s")
                await self._sleep(seconds)

    async def _attempt(self, body: bytes) -> AsyncGenerator[StreamEvent, None]:
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key.reveal()}"
        parser = OpenAIStream()
        try:
            async with self._client.stream("POST", self._url, content=body, headers=headers) as response:
                if response.status_code != 200:
                    raise await _refused(response)
                async for chunk in response.aiter_bytes():
                    for event in parser.feed(chunk):
                        yield _unless_error(event)
                for event in parser.close():
                    yield _unless_error(event)
        except (httpx.HTTPError, httpx.StreamError, UnicodeError) as error:
            raise _Failed(_told(error), _is_of_the_network(error)) from None

    def _sentence(self, failed: _Failed, attempt: int) -> str:
        told = f"{self._host}: {failed}" + (f" (attempt {attempt} of {ATTEMPTS})" if attempt > 1 else "")
        return self._key.censor(told) if self._key is not None else told


class _Failed(Exception):
    """An attempt that gave no whole answer."""

    def __init__(self, message: str, may_pass: bool, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.may_pass = may_pass
        self.retry_after = retry_after


def _address(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise RunError("the server's base URL is no address that begins with http:// or https://")
    return url


def _refuse_holes(request: LlmRequest) -> None:
    """A hole is what a run should have filled in; no provider takes one."""
    holes = [tool.name for tool in request.tools if isinstance(tool, Hole)]
    if isinstance(request.output_schema, Hole):
        holes.append(request.output_schema.name)
    if holes:
        raise RunError(
            f"the model can't be told of {', '.join(f'`{hole}`' for hole in holes)}: this runner doesn't have it"
        )


async def _refused(response: httpx.Response) -> _Failed:
    """The failure that a status tells, with what the server says about it."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LONGEST_ERROR:
            break
    status = f"{response.status_code} {response.reason_phrase}".strip()
    said = _said(body.decode("utf-8", "replace"))
    return _Failed(
        f"{status}: {said}" if said else status, may_pass(response.status_code), response.headers.get("retry-after")
    )


def _said(text: str) -> str:
    """The message in an error body, in any of the usual shapes; else the body's beginning, unless it is a web page."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else _line(text)
    while isinstance(value, dict):
        value = next((value[key] for key in ("error", "message", "detail") if value.get(key)), None)
    return _line(value) if isinstance(value, str) else _line(text)


def _unless_error(event: StreamEvent) -> StreamEvent:
    if isinstance(event, StreamError):
        raise _Failed(_line(event.message), event.status is not None and may_pass(event.status))
    return event


def _is_of_the_network(error: Exception) -> bool:
    """Whether the fault is the connection's or the server's, and not in what was to be sent or where to."""
    ours = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
    return isinstance(error, httpx.TransportError) and not isinstance(error, ours)


def _told(error: Exception) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if isinstance(error, httpx.ConnectError):
        return "the server can't be reached"
    return _line(str(error)) or type(error).__name__


def _line(text: str) -> str:
    return " ".join(text.split())[:_EXCERPT]
