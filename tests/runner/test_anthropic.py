"""A run on Anthropic's API, played by a server on loopback: what is sent, what is kept, how it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from play import Played, played, played_in
from server import Server, events, serving, status

from rolebook import wire
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook_runner.models.anthropic import Anthropic
from rolebook_runner.models.choose import DefaultModels

KEY = "sk-ant-very-secret-0123456789"
AGENT = "name: a\nmodel: claude-opus-4-8\ninstruction: Help {user}."


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def stop(reason: str) -> list[dict[str, Any]]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]


START = {
    "type": "message_start",
    "message": {"usage": {"input_tokens": 7, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 3}},
}
OK = events(
    START,
    {"type": "ping"},
    *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hello"}),
    *stop("end_turn"),
)
THINKING = {"type": "thinking", "thinking": "Twice 21.", "signature": "c2ln"}
CALL = events(
    START,
    *block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Twice 21."},
        {"type": "signature_delta", "signature": "c2ln"},
    ),
    *block(
        1,
        {"type": "tool_use", "id": "toolu_1", "name": "double", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"n": 21}'},
    ),
    *stop("tool_use"),
)


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(_: float) -> None: ...

    init = Anthropic.__init__
    monkeypatch.setattr(Anthropic, "__init__", lambda self, url, key, **_: init(self, url, key, sleep=wait))


def models(server: Server) -> DefaultModels:
    return DefaultModels({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY})


async def run(server: Server) -> Played:
    play = played(AGENT, models=models(server))
    async with play.runner:
        return await play.turn("Hi", state={"user": "Ann"})


async def test_what_is_sent_and_what_is_stored() -> None:
    async with serving(OK) as server:
        play = await run(server)
    (sent,), (made,) = server.requests, play.calls
    compiled = compile_request(play.tree, play.tree.root, Context(state=made.state), made.events).request
    assert sent.body == wire.encode(wire.body(compiled, "anthropic").payload)
    assert (sent.method, sent.target) == ("POST", "/v1/messages")
    assert sent.headers["x-api-key"] == KEY
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in sent.headers
    assert play.last.text == "Hello"
    assert play.events[-1].metadata["usage"] == {
        "input_tokens": 50,
        "output_tokens": 2,
        "cached_tokens": 40,
        "cache_write_tokens": 3,
    }


async def test_thinking_goes_back_before_its_call(tmp_path: Path) -> None:
    files = {
        "root_agent.yaml": AGENT + "\ntools: [{name: shelf.double}]",
        "shelf.py": "def double(n: int) -> int:\n    return n * 2\n",
    }
    async with serving(CALL, OK) as server:
        play = played_in(tmp_path, files, models=models(server))
        async with play.runner:
            await play.turn("Hi", state={"user": "Ann"})
    assert json.loads(server.requests[1].body)["messages"][1:] == [
        {
            "role": "assistant",
            "content": [THINKING, {"type": "tool_use", "id": "toolu_1", "name": "double", "input": {"n": 21}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]},
    ]


def error(code: int, kind: str, message: str) -> bytes:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return status(code, json.dumps(body).encode())


FAILING = [
    ([error(529, "overloaded_error", "Overloaded"), OK], None),
    ([error(429, "rate_limit_error", "Slow down"), OK], None),
    ([events(START, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), OK], None),
    ([error(401, "authentication_error", f"invalid x-api-key {KEY}")], "401 Unauthorized: invalid x-api-key"),
    ([error(400, "invalid_request_error", "bad")], "400 Bad Request: bad (request req_1)"),
    ([events(START, *block(0, {"type": "text", "text": "Hel"}))], "the stream ended before the answer did"),
    (
        [
            events(
                *block(0, {"type": "text", "text": "Hel"}),
                {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            )
        ],
        "Overloaded",
    ),
]


@pytest.mark.parametrize(("replies", "problem"), FAILING)
async def test_what_passes_is_tried_again_and_the_rest_is_told(replies: list[bytes], problem: str | None) -> None:
    async with serving(*replies) as server:
        play = await run(server)
    assert len(server.requests) == len(replies)
    if problem is None:
        assert play.last.text == "Hello"
    else:
        assert problem in play.error.message
    assert KEY not in repr(play.signals)


async def test_a_refusal_is_a_warning_that_says_why() -> None:
    refusal = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": {"explanation": "Harm."}}}
    async with serving(events(START, refusal, {"type": "message_stop"})) as server:
        play = await run(server)
    assert play.warnings == ["agent `a`: the model refused to answer (Harm.)"]
