"""`--record`: what was sent and what came back, one JSON object a line, and no key in any of them."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import httpx

from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.traffic import Traffic, path_of

VERSION = 1
HEAD = {"rolebook": "traffic", "version": VERSION}

_HEADERS = ("content-type", "content-encoding", "retry-after", "request-id", "x-request-id")
"""The response headers that change what a run does, or that its messages quote; others may hold cookies."""

_SHORTEST_KEY = 8
"""Code points. A shorter one, such as `none`, guards nothing, and may be part of any word."""


def without_keys(text: str, keys: Iterable[Secret]) -> str:
    """The text with each key in it replaced, also as it stands in a JSON string."""
    for key in keys:
        plain = key.reveal()
        if len(plain) >= _SHORTEST_KEY:
            text = text.replace(plain, "[key]").replace(json.dumps(plain)[1:-1], "[key]")
    return text


class Recorder(Traffic):
    """Writes to the file at `path`, which is made anew. `keys` are those that mustn't get into it.

    An exchange is written when its response ended, or broke off. Raises RunError where the file can't be made.
    """

    def __init__(self, path: str, keys: Iterable[Secret]) -> None:
        super().__init__()
        self._keys = tuple(keys)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._file = open(handle, "w", encoding="utf-8", newline="\n")  # noqa: SIM115  until `close`
            self._write(HEAD)
        except OSError as error:
            raise RunError(f"the recording {path} can't be written: {error.strerror or error}") from None

    def options(self, base_url: str) -> dict[str, Any]:
        async def sent(request: httpx.Request) -> None:
            request.headers["accept-encoding"] = "identity"  # what is recorded shall be readable
            self.note(base_url, request)

        async def answered(response: httpx.Response) -> None:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            told = _request_json(path_of(base_url, response.request), response.request)
            response.stream = _Copied(response.stream, lambda data, cut: self._exchange(told, response, data, cut))

        return {"event_hooks": {"request": [sent], "response": [answered]}}

    def close(self) -> None:
        self._file.close()

    def _exchange(self, request: dict[str, Any], response: httpx.Response, data: bytes, cut: str | None) -> None:
        headers = {name: response.headers[name] for name in _HEADERS if name in response.headers}
        told: dict[str, Any] = {"status": response.status_code, "headers": headers, **content_json(data)}
        if cut is not None:
            told["broke_off"] = cut
        self._write({"request": request, "response": told})

    def _write(self, line: dict[str, Any]) -> None:
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        try:
            self._file.write(without_keys(text, self._keys) + "\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            raise RunError(f"the recording can't be written: {getattr(error, 'strerror', None) or error}") from None


def content_json(data: bytes) -> dict[str, Any]:
    """The bytes as text lines, which joined by `\\n` are the whole again, or as base64 where they are no UTF-8."""
    try:
        return {"lines": data.decode().split("\n")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def body_json(content: bytes) -> Any:
    """A request's body as a JSON value; None for an empty one."""
    return json.loads(content) if content else None


def _request_json(path: str, request: httpx.Request) -> dict[str, Any]:
    return {"method": request.method, "path": path, "body": body_json(request.content)}


class _Copied(httpx.AsyncByteStream):
    """A response's bytes while they pass; `ended` gets all of them, and what broke the stream off, if anything did."""

    def __init__(self, inner: httpx.AsyncByteStream, ended: Callable[[bytes, str | None], None]) -> None:
        self._inner = inner
        self._ended: Callable[[bytes, str | None], None] | None = ended
        self._data = bytearray()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._inner:
                self._data += chunk
                yield chunk
        except httpx.HTTPError as error:
            self._end(type(error).__name__)
            raise
        self._end(None)

    async def aclose(self) -> None:
        await self._inner.aclose()
        self._end("closed")

    def _end(self, cut: str | None) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(bytes(self._data), cut)
