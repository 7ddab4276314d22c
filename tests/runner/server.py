"""A provider's server on loopback that answers what a test lays out, connection by connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Request:
    target: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"


@dataclass(slots=True)
class Server:
    """`replies` are raw HTTP responses, sent one per connection; what came in is in `requests`."""

    replies: list[bytes]
    url: str = ""
    requests: list[Request] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:]) if name}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, target, _ = head[0].split()
        self.requests.append(Request(target, headers, body, method))
        writer.write(self.replies.pop(0))
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def serving(*replies: bytes) -> AsyncIterator[Server]:
    server = Server(list(replies))
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    server.url = f"http://127.0.0.1:{port}/v1"
    async with listening:
        yield server


def stream(*chunks: Any, done: bool = True) -> bytes:
    """A whole streamed answer; `done` says whether it ends as the protocol demands."""
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"] * done
    return status(200, "".join(events).encode(), ("content-type: text/event-stream",))


def events(*chunks: Any) -> bytes:
    """A streamed answer of a provider that has no `[DONE]`: each chunk is one server-sent event."""
    sent = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return status(200, "".join(sent).encode(), ("content-type: text/event-stream",))


def status(code: int, body: bytes, headers: Sequence[str] = ()) -> bytes:
    lines = [f"HTTP/1.1 {code} {_REASONS[code]}", "connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def text(said: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": said}, "finish_reason": finish}]}


def call(name: str, arguments: str, id: str = "call_x", finish: str | None = "tool_calls") -> dict[str, Any]:
    piece = {"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": finish}]}


_REASONS = {
    200: "OK",
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    429: "Too Many Requests",
    500: "Internal Server Error",
    529: "Overloaded",
}
