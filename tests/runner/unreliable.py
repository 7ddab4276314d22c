"""A provider that can't be relied on: HTTP on loopback, answers that are late, cut, wrong, or tell secrets.

It speaks the three wires. What it sends holds the key that it was asked with wherever `KEY` stands in a reply.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-never-to-be-seen-0123456789"
HANG = b"HANG"
"""A reply that never comes."""


class Provider:
    """`replies` are raw responses, one for each request; the requests' bodies are in `asked`."""

    def __init__(self, replies: Sequence[bytes]) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []
        self.url = ""
        self.over = threading.Event()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append(json.loads(handler.rfile.read(int(handler.headers["content-length"]))))
        reply = self.replies.pop(0)
        head, hangs, _ = reply.partition(HANG)
        handler.wfile.write(head)
        handler.wfile.flush()
        if hangs:
            self.over.wait()


@contextmanager
def unreliable(*replies: bytes) -> Iterator[Provider]:
    provider = Provider(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            provider.answer(self)
            self.close_connection = True

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield provider
    finally:
        provider.over.set()
        server.shutdown()
        serving.join()
        server.server_close()


def response(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def streamed(*chunks: Any) -> bytes:
    """A stream of server-sent events; a text is the data as it stands, anything else becomes JSON."""
    data = [chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in chunks]
    return response("200 OK", "".join(f"data: {each}\n\n" for each in data).encode(), "content-type: text/event-stream")


class OpenAI:
    name, model, version = "OPENAI", "gpt-4o", "/v1"

    def said(self, text: str) -> list[Any]:
        return [{"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}]

    def called(self, *calls: tuple[str, str, str]) -> list[Any]:
        """Calls, each an id, a name, and arguments as JSON text."""
        pieces = [
            {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for index, (id, name, arguments) in enumerate(calls)
        ]
        return [{"choices": [{"index": 0, "delta": {"tool_calls": pieces}, "finish_reason": "tool_calls"}]}, "[DONE]"]

    def ended(self) -> list[Any]:
        return [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, "[DONE]"]

    def failed(self, message: str) -> list[Any]:
        return [{"error": {"message": message, "code": 500}}]

    def call_ids(self, asked: Any) -> tuple[list[str], list[str]]:
        """The ids of the calls that a request holds, and of their responses."""
        messages = asked["messages"]
        calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        return calls, [message["tool_call_id"] for message in messages if message["role"] == "tool"]


class Anthropic:
    name, model, version = "ANTHROPIC", "claude-sonnet-4-5", ""

    def said(self, text: str) -> list[Any]:
        return [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        ]

    def called(self, *calls: tuple[str, str, str]) -> list[Any]:
        chunks: list[Any] = []
        for index, (id, name, arguments) in enumerate(calls):
            block = {"type": "tool_use", "id": id, "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": arguments}
            chunks += [
                {"type": "content_block_start", "index": index, "content_block": block},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        return [*chunks, {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]

    def ended(self) -> list[Any]:
        return [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        ]

    def failed(self, message: str) -> list[Any]:
        return [{"type": "error", "error": {"type": "api_error", "message": message}}]

    def call_ids(self, asked: Any) -> tuple[list[str], list[str]]:
        blocks = [block for message in asked["messages"] for block in message["content"] if isinstance(block, dict)]
        return (
            [block["id"] for block in blocks if block["type"] == "tool_use"],
            [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"],
        )


class Gemini:
    name, model, version = "GEMINI", "gemini-2.5-flash", ""

    def said(self, text: str) -> list[Any]:
        return [{"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}]

    def called(self, *calls: tuple[str, str, str]) -> list[Any]:
        parts = [{"functionCall": {"id": id, "name": name, "args": _parsed(args)}} for id, name, args in calls]
        return [{"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}]

    def ended(self) -> list[Any]:
        return [{"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}]

    def failed(self, message: str) -> list[Any]:
        return [{"error": {"code": 500, "message": message, "status": "INTERNAL"}}]

    def call_ids(self, asked: Any) -> tuple[list[str], list[str]]:
        parts = [part for content in asked["contents"] for part in content["parts"]]
        calls = [part["functionCall"].get("id") for part in parts if "functionCall" in part]
        return calls, [part["functionResponse"].get("id") for part in parts if "functionResponse" in part]


WIRES = (OpenAI(), Anthropic(), Gemini())


def _parsed(arguments: str) -> Any:
    """Gemini's arguments are a JSON value, so a text stands for what is no object."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
