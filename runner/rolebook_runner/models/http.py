"""One provider's HTTP API: a streamed answer with retries, or one small request. Keys stay out of every message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

import httpx

from rolebook import wire
from rolebook.prompt.request import Hole, LlmRequest
from rolebook.wire.errors import ProviderError, read_error
from rolebook.wire.reading import obj, parsed
from rolebook.wire.stream import Answer, StreamError, StreamEvent
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.model import Item, Remark
from rolebook_runner.models.retry import ATTEMPTS, may_pass, wait_before
from rolebook_runner.models.traffic import Traffic

Sleep = Callable[[float], Awaitable[object]]

TIMES = httpx.Timeout(connect=10.0, read=300.0, write=60.0, pool=10.0)
"""Seconds. A server may load its model before the first byte, so reading waits long; the turn has its own limit."""

_EXCERPT = 300
_LONGEST_ERROR = 100_000
_LONGEST_ANSWER = 100_000_000
"""Bytes. A server that never comes to an end shall not fill the memory."""

_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
"""As many connections as there are calls at once: one that waits for a connection would fail after a while."""


class Failed(Exception):
    """An attempt that gave no whole answer. `error` is what the server said, None where it said nothing readable."""

    def __init__(
        self, message: str, may_pass: bool, *, retry_after: str | None = None, error: ProviderError | None = None
    ) -> None:
        super().__init__(message)
        self.may_pass = may_pass
        self.retry_after = retry_after
        self.error = error


class Http:
    """The API at `base_url`. `headers` go with every request, the key's among them; `sleep` waits between attempts.

    `traffic` watches what is sent, or answers it. `name` is what messages call the server, by default its host.
    """

    def __init__(
        self,
        base_url: str,
        key: Secret | None,
        headers: Mapping[str, str],
        sleep: Sleep | None,
        traffic: Traffic | None = None,
        *,
        attempts: int = ATTEMPTS,
        name: str | None = None,
    ) -> None:
        url = _address(base_url)
        # Logs of the libraries quote addresses, so a password mustn't stand in one.
        auth = (url.username, url.password) if url.userinfo else None
        self._base_url = str(url.copy_with(userinfo=b"")) if auth else base_url
        self._name = name or url.netloc.decode("ascii", "replace")
        self._attempts = attempts
        self._key = key
        self._headers = {"content-type": "application/json", **headers}
        self._sleep = sleep or (_at_once if traffic is not None and traffic.replays else asyncio.sleep)
        # A proxy from the environment isn't meant for a server on this machine.
        trusted = url.host not in ("127.0.0.1", "localhost", "::1")
        options = traffic.options(self._base_url) if traffic is not None else {}
        # To load the certificates takes a tenth of a second, and nobody shows one without TLS and without a proxy.
        verify = trusted or url.scheme == "https"
        self._client = _client(trust_env=trusted, verify=verify, auth=auth, **options)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def answer(self, path: str, body: bytes, reader: Callable[[], Answer]) -> AsyncGenerator[Item, None]:
        """A streamed answer. What fails in passing is tried again, but never once a part of the answer is out.

        Raises Failed, with a sentence for the user, where nothing of the answer came, and RunError where it broke off.
        """
        for attempt in range(1, self._attempts + 1):
            spoken = False
            try:
                async with aclosing(self._attempt(path, body, reader())) as events:
                    async for event in events:
                        spoken = True
                        yield event
                return
            except Failed as failed:
                told = self._sentence(failed, attempt)
                if spoken:
                    raise RunError(told) from None
                if not failed.may_pass or attempt == self._attempts:
                    raise Failed(told, failed.may_pass, error=failed.error) from None
                seconds = wait_before(attempt + 1, failed.retry_after)
                yield Remark(f"{told}; trying again in {seconds:.1f} s")
                await self._sleep(seconds)

    async def send(self, method: str, path: str, payload: object = None) -> dict[str, Any]:
        """One request outside of any answer, and the JSON object that it gives. Raises Failed; nothing is repeated."""
        content = wire.encode(payload) if payload is not None else None
        url = f"{self._base_url}/{path}"
        try:
            async with self._client.stream(method, url, content=content, headers=self._headers) as response:
                body = await _beginning(response)
        except _FAULTS as error:
            raise Failed(self._censored(_told(error)), _is_of_the_network(error)) from None
        if response.status_code != 200:
            failed = _refused(response, body)
            raise Failed(self._censored(str(failed)), failed.may_pass, error=failed.error)
        return obj(parsed(body.decode("utf-8", "replace")))

    async def _attempt(self, path: str, body: bytes, answer: Answer) -> AsyncGenerator[StreamEvent, None]:
        url, headers = f"{self._base_url}/{path}", {**self._headers, "accept": "text/event-stream"}
        try:
            async with self._client.stream("POST", url, content=body, headers=headers) as response:
                if response.status_code != 200:
                    raise _refused(response, await _beginning(response))
                size = 0
                async for chunk in response.aiter_bytes():
                    size += len(chunk)
                    if size > _LONGEST_ANSWER:
                        raise Failed(f"the answer doesn't end within {_LONGEST_ANSWER:,} bytes", False)
                    for event in answer.feed(chunk):
                        yield _unless_error(event)
                for event in answer.close():
                    yield _unless_error(event)
        except _FAULTS as error:
            raise Failed(_told(error), _is_of_the_network(error)) from None

    def _sentence(self, failed: Failed, attempt: int) -> str:
        return self._censored(f"{failed}" + (f" (attempt {attempt} of {self._attempts})" if attempt > 1 else ""))

    def _censored(self, text: str) -> str:
        told = f"{self._name}: {text}"
        return self._key.censor(told) if self._key is not None else told


async def _at_once(_: float) -> None:
    """The wait of a replay."""


def refuse_holes(request: LlmRequest) -> None:
    """Raises RunError for a hole, which is what a run should have filled in; no provider takes one."""
    holes = [tool.name for tool in request.tools if isinstance(tool, Hole)]
    if isinstance(request.output_schema, Hole):
        holes.append(request.output_schema.name)
    if holes:
        raise RunError(
            f"the model can't be told of {', '.join(f'`{hole}`' for hole in holes)}: this runner doesn't have it"
        )


def _client(**options: Any) -> httpx.AsyncClient:
    """A client. What it takes from the environment may be of no use to it, and may hold a proxy's password."""
    try:
        return httpx.AsyncClient(timeout=TIMES, limits=_LIMITS, **options)
    except ImportError:
        raise RunError(
            "the proxy in ALL_PROXY, HTTPS_PROXY or HTTP_PROXY is a SOCKS one, which needs `socksio`"
        ) from None
    except (ValueError, httpx.InvalidURL):
        raise RunError("ALL_PROXY, HTTPS_PROXY or HTTP_PROXY holds no address of a proxy") from None
    except OSError as error:
        raise RunError(f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR can't be loaded: {error.strerror}") from None


def _address(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise RunError("the server's base URL is no address that begins with http:// or https://")
    return url


_FAULTS = (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, UnicodeError)


async def _beginning(response: httpx.Response) -> bytes:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LONGEST_ERROR:
            break
    return body


def _refused(response: httpx.Response, body: bytes) -> Failed:
    """The failure that a status tells, with what the server says about it, unless that is a web page."""
    error = read_error(response.status_code, body, response.headers)
    status = f"{response.status_code} {response.reason_phrase}".strip()
    said = "" if error.message.startswith("<") else _line(error.message)
    asked = response.headers.get("retry-after") if error.retry_after is None else str(error.retry_after)
    told = f"{status}: {said}" if said else status
    told += f" (request {error.request_id})" if error.request_id else ""
    return Failed(told, may_pass(response.status_code) and error.kind != "billing", retry_after=asked, error=error)


def _unless_error(event: StreamEvent) -> StreamEvent:
    if isinstance(event, StreamError):
        asked = str(event.retry_after) if event.retry_after is not None else None
        raise Failed(_line(event.message), event.status is not None and may_pass(event.status), retry_after=asked)
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
