"""A run on the Gemini API, played by a server on loopback: what is sent, signatures, and the life of a cache entry."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from play import Played, played, played_in
from server import Request, Server, events, serving, status

from rolebook import wire
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.wire import gemini
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.gemini import Gemini
from rolebook_runner.models.gemini_cache import LIFETIME

KEY = "AIzaVerySecret0123456789"
AGENT = "name: a\nmodel: gemini-3.5-flash\ninstruction: Help {user}."
RULES = "Never promise a return, and never guess one. " * 600
LONG = f"{AGENT}\nstatic_instruction: '{RULES}'"


def text(said: str, finish: str | None = "STOP", **usage: int) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": said}]}, "finishReason": finish}
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, **usage}}


OK = events(text("Hel", None), text("lo", cachedContentTokenCount=5, thoughtsTokenCount=4))
CALL = events(
    {
        "candidates": [
            {
                "content": {
                    "parts": [{"functionCall": {"name": "double", "args": {"n": 21}}, "thoughtSignature": "c2ln"}]
                },
                "finishReason": "STOP",
            }
        ]
    }
)
ENTRY = status(200, b'{"name": "cachedContents/e1", "model": "models/gemini-3.5-flash"}')
DONE = status(200, b"{}")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The client's clock; nobody waits."""
    clock = Clock()

    async def wait(_: float) -> None: ...

    init = Gemini.__init__
    monkeypatch.setattr(
        Gemini, "__init__", lambda self, url, key, **_: init(self, url, key, sleep=wait, clock=lambda: clock.now)
    )
    return clock


def models(server: Server) -> DefaultModels:
    return DefaultModels({"GEMINI_BASE_URL": server.url.removesuffix("/v1"), "GEMINI_API_KEY": KEY})


async def run(server: Server, definition: str = AGENT, turns: int = 1) -> Played:
    play = played(definition, models=models(server))
    async with play.runner:
        for _ in range(turns):
            await play.turn("Hi", state={"user": "Ann"})
    return play


def sent(server: Server) -> list[str]:
    return [f"{request.method} {request.target.removeprefix('/v1beta/')}" for request in server.requests]


ASKED = "POST models/gemini-3.5-flash:streamGenerateContent?alt=sse"
MADE = "POST cachedContents"
DROPPED = "DELETE cachedContents/e1"
RENEWED = "PATCH cachedContents/e1?updateMask=ttl"


async def test_what_is_sent_and_what_is_stored() -> None:
    async with serving(OK) as server:
        play = await run(server)
    (request,), (made,) = server.requests, play.calls
    compiled = compile_request(play.tree, play.tree.root, Context(state=made.state), made.events).request
    assert request.body == wire.encode(wire.body(compiled, "gemini").payload)
    assert sent(server) == [ASKED]
    assert request.headers["x-goog-api-key"] == KEY and KEY not in request.target
    assert play.last.text == "Hello"
    assert play.events[-1].metadata["usage"] == {"input_tokens": 7, "output_tokens": 6, "cached_tokens": 5}


async def test_a_signature_goes_back_with_its_call(tmp_path: Path) -> None:
    files = {
        "root_agent.yaml": AGENT + "\ntools: [{name: shelf.double}]",
        "shelf.py": "def double(n: int) -> int:\n    return n * 2\n",
    }
    async with serving(CALL, OK) as server:
        play = played_in(tmp_path, files, models=models(server))
        async with play.runner:
            await play.turn("Hi", state={"user": "Ann"})
    assert json.loads(server.requests[1].body)["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "call_1", "name": "double", "args": {"n": 21}}, "thoughtSignature": "c2ln"}
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "call_1", "name": "double", "response": {"result": 42}}}],
        },
    ]


async def test_a_blocked_prompt_is_a_warning() -> None:
    async with serving(events({"promptFeedback": {"blockReason": "SAFETY"}})) as server:
        play = await run(server)
    assert play.warnings == ["agent `a`: the provider's filter cut the answer off (the prompt was blocked, SAFETY)"]


async def test_an_entry_is_made_the_second_time_reused_and_dropped() -> None:
    async with serving(OK, ENTRY, OK, OK, DONE) as server:
        play = await run(server, LONG, turns=3)
    assert sent(server) == [ASKED, MADE, ASKED, ASKED, DROPPED]
    request = play.calls[1].request
    assert json.loads(server.requests[1].body) == json.loads(wire.encode(gemini.cache_creation(request, LIFETIME)))
    expected = gemini.cached_body(request, "cachedContents/e1")
    assert server.requests[2].body == wire.encode(expected.payload)
    assert play.warnings == []


async def test_a_short_static_half_is_not_cached() -> None:
    async with serving(OK, OK, OK) as server:
        await run(server, turns=3)
    assert sent(server) == [ASKED] * 3


async def test_a_static_half_that_changes_is_not_cached() -> None:
    volatile = LONG.replace("static_instruction: '", "global_instruction: 'Turn {turn}. ")
    async with serving(OK, OK, OK) as server:
        play = played(volatile, models=models(server))
        async with play.runner:
            for number in range(3):
                await play.turn("Hi", state={"turn": number, "user": "Ann"})
    assert sent(server) == [ASKED] * 3


@pytest.mark.parametrize(
    ("passes", "requests"),
    [
        (LIFETIME * 0.3, [ASKED, DROPPED]),
        (LIFETIME * 0.7, [RENEWED, ASKED, DROPPED]),
        (LIFETIME * 0.99, [MADE, ASKED, DROPPED]),
    ],
)
async def test_an_entry_is_renewed_while_it_lives(clock: Clock, passes: float, requests: list[str]) -> None:
    replies = {ASKED: OK, DROPPED: DONE, RENEWED: DONE, MADE: ENTRY}
    async with serving(OK, ENTRY, OK, *(replies[request] for request in requests)) as server:
        play = played(LONG, models=models(server))
        async with play.runner:
            await play.turn("Hi", state={"user": "Ann"})
            await play.turn("Hi")
            clock.now += passes
            await play.turn("Hi")
    assert sent(server)[3:] == requests


TOO_SMALL = status(
    400, b'{"error": {"code": 400, "message": "Cached content is too small. min_total_token_count=4096"}}'
)


async def test_an_entry_that_cannot_be_made_is_told_once_and_the_request_goes_out_whole() -> None:
    async with serving(OK, TOO_SMALL, OK, OK) as server:
        play = await run(server, LONG, turns=3)
    assert sent(server) == [ASKED, MADE, ASKED, ASKED]
    assert play.last.text == "Hello"
    (warning,) = play.warnings
    assert "the static half isn't cached" in warning and "too small" in warning and KEY not in warning
    assert "systemInstruction" in json.loads(server.requests[2].body)


async def test_an_entry_that_is_never_made_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Server):
        async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self.requests) != 1:
                await super().handle(reader, writer)
                return
            self.requests.append(Request("cachedContents", {}, b""))
            await reader.read()  # ends when the client gives up
            writer.close()

    monkeypatch.setattr("rolebook_runner.models.gemini_cache._MADE_WITHIN", 0.2)
    monkeypatch.setattr("server.Server", Slow)
    async with serving(OK, OK, OK) as server:
        play = await run(server, LONG, turns=3)
    assert play.last.text == "Hello" and len(server.requests) == 4
    assert play.warnings == ["agent `a`: the static half isn't cached: no answer within 0.2 s"]


async def test_an_entry_that_is_gone_is_made_once_more() -> None:
    gone = status(403, b'{"error": {"code": 403, "message": "CachedContent not found (or permission denied)"}}')
    async with serving(OK, ENTRY, gone, OK, ENTRY, gone, OK, OK) as server:
        play = await run(server, LONG, turns=4)
    assert sent(server) == [ASKED, MADE, ASKED, ASKED, MADE, ASKED, ASKED, ASKED]
    assert [json.loads(request.body).get("cachedContent") for request in server.requests[2:4]] == [
        "cachedContents/e1",
        None,
    ]
    assert play.last.text == "Hello"


async def test_an_entry_that_cannot_be_dropped_ends_by_itself() -> None:
    async with serving(OK, ENTRY, OK, status(500, b"")) as server:
        play = await run(server, LONG, turns=2)
    assert sent(server)[-1] == DROPPED
    assert play.last.text == "Hello"


def error(code: int, message: str, **more: Any) -> bytes:
    return status(code, json.dumps([{"error": {"code": code, "message": message, **more}}]).encode())


@pytest.mark.parametrize(
    ("replies", "problem"),
    [
        ([error(429, "Slow down", details=[{"retryDelay": "3s"}]), OK], None),
        ([events({"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}), OK], None),
        ([error(400, f"API key not valid: {KEY}")], "400 Bad Request: API key not valid: …"),
        ([events(text("Hel", None))], "the stream ended before the answer did"),
    ],
)
async def test_what_passes_is_tried_again_and_the_rest_is_told(replies: list[bytes], problem: str | None) -> None:
    async with serving(*replies) as server:
        play = await run(server)
    assert len(server.requests) == len(replies)
    if problem is None:
        assert play.last.text == "Hello"
    else:
        assert problem in play.error.message
    assert KEY not in repr(play.signals)
