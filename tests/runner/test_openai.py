"""The path to a real provider, against a real HTTP server on loopback: what is sent, and how each failure ends."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from play import Played, played, played_in
from server import Server, call, serving, status, stream, text

from rolebook import wire
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.openai import OpenAI
from rolebook_runner.models.retry import ATTEMPTS
from rolebook_runner.signals import Error, TextDelta, signal_to_json

KEY = "sk-very-secret-0123456789"
AGENT = "name: a\nmodel: gpt-4.1-mini\ninstruction: Help {user}.\ngenerate_content_config: {temperature: 0.5}"
OK = stream(
    text("Hel"), text("lo"), text("", "stop"), {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that are waited between attempts; nobody really waits."""
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    init = OpenAI.__init__
    monkeypatch.setattr(OpenAI, "__init__", lambda self, url, key, **_: init(self, url, key, sleep=wait))
    return waited


async def run(server: Server, definition: str = AGENT, **options: Any) -> Played:
    models = DefaultModels({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY})
    play = played(definition, models=models, **options)
    async with play.runner:
        return await play.turn("Hi", state={"user": "Ann"})


async def test_what_is_sent_is_what_the_compiler_makes_of_events_and_state() -> None:
    async with serving(OK) as server:
        play = await run(server, config={"seed": 7})
    (sent,), (made,) = server.requests, play.calls
    compiled = compile_request(
        play.tree, play.tree.root, Context(state=made.state), made.events, config={"seed": 7}
    ).request
    assert sent.body == wire.encode(wire.body(compiled, "openai").payload)
    assert sent.target == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["content-type"] == "application/json"
    body = json.loads(sent.body)
    assert body["model"] == "gpt-4.1-mini" and body["seed"] == 7 and body["stream"] is True
    assert body["messages"][0]["content"].endswith("Help Ann.")


async def test_the_answer_is_streamed_and_stored_with_its_usage() -> None:
    async with serving(OK) as server:
        play = await run(server)
    assert [delta.text for delta in play.told(TextDelta)] == ["Hel", "lo"]
    answer = play.events[-1]
    assert answer.text == "Hello"
    assert answer.metadata["usage"] == {"input_tokens": 7, "output_tokens": 2, "cached_tokens": 0}
    assert answer.metadata["model"] == "gpt-4.1-mini"


async def test_a_tool_call_and_its_result(tmp_path: Path) -> None:
    files = {
        "root_agent.yaml": AGENT + "\ntools: [{name: shelf.double}]",
        "shelf.py": "def double(n: int) -> int:\n    return n * 2\n",
    }
    async with serving(stream(call("double", '{"n": 21}')), OK) as server:
        models = DefaultModels({"OPENAI_BASE_URL": server.url})
        play = played_in(tmp_path, files, models=models)
        async with play.runner:
            await play.turn("Hi")
    second = json.loads(server.requests[1].body)["messages"]
    assert second[-2]["tool_calls"][0]["function"] == {"name": "double", "arguments": '{"n":21}'}
    assert second[-1] == {"role": "tool", "tool_call_id": "call_x", "content": "42"}
    assert "authorization" not in server.requests[0].headers


BROKEN_CALLS = [("double", "{"), ("unknown", "{}"), ("double", "[]")]


@pytest.mark.parametrize(("name", "arguments"), BROKEN_CALLS)
async def test_a_call_that_makes_no_sense_is_told_to_the_model(name: str, arguments: str) -> None:
    async with serving(stream(call(name, arguments)), OK) as server:
        play = await run(server)
    assert "error" in play.responses[0]
    assert play.last.text == "Hello"


BUSY = status(429, b'{"error": {"message": "Slow down"}}')

# Replies of the server, seconds that are waited (None: left to chance), and what the turn ends with.
PASSING: list[Any] = [
    pytest.param([BUSY, OK], [None], id="429"),
    pytest.param([status(429, b"", ["retry-after: 7"]), OK], [7.0], id="429 with Retry-After"),
    pytest.param([status(429, b"", ["retry-after: 9999"]), OK], [30.0], id="429 with too long a Retry-After"),
    pytest.param([status(429, b"", ["retry-after: Fri, 02 Jan 1970 00:00:00 GMT"]), OK], [0.0], id="429 with a date"),
    pytest.param([status(429, b"", ["retry-after: soon"]), OK], [None], id="429 with nonsense"),
    pytest.param(
        [status(429, b"", [f"retry-after: Fri, 02 Jan 1970 00:00:00 +{'9' * 20}"]), OK], [None], id="429, no date"
    ),
    pytest.param([status(500, b""), status(500, b"<html>"), OK], [None, None], id="500 twice"),
    pytest.param([b"", OK], [None], id="the connection closes"),
    pytest.param([b"HTTP/1.1 what\r\n\r\n", OK], [None], id="no HTTP"),
]


@pytest.mark.parametrize(("replies", "waited"), PASSING)
async def test_what_passes_is_tried_again(waits: list[float], replies: list[bytes], waited: list[float | None]) -> None:
    async with serving(*replies) as server:
        play = await run(server)
    assert play.last.text == "Hello"
    assert len(server.requests) == len(replies)
    assert len({request.body for request in server.requests}) == 1
    assert len(waits) == len(waited)
    for number, (seconds, expected) in enumerate(zip(waits, waited, strict=True)):
        assert seconds == expected if expected is not None else 0.25 * 2**number <= seconds <= 0.5 * 2**number
    assert all("trying again" in warning for warning in play.warnings)


ECHO = status(401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode())
NO_MONEY = status(429, b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}')
CUT = stream(text("Hel"), done=False)
GARBAGE = status(200, b"data: {nonsense\n\n", ["content-type: text/event-stream"])

ELSEWHERE = status(307, b"", ["location: http://127.0.0.1:1/v1/chat/completions"])

# Replies of the server, how often it is asked, and what the error says.
FAILING: list[Any] = [
    pytest.param([BUSY] * 9, ATTEMPTS, "429 Too Many Requests: Slow down (attempt 4 of 4)", id="429 for ever"),
    pytest.param([status(500, b"oops")] * 9, ATTEMPTS, "500 Internal Server Error: oops", id="500 for ever"),
    pytest.param([status(400, b'{"error": "no such model"}')], 1, "400 Bad Request: no such model", id="400"),
    pytest.param([NO_MONEY], 1, "429 Too Many Requests: You exceeded your current quota", id="429 for want of money"),
    pytest.param([ECHO], 1, "Incorrect API key provided: …", id="401 that echoes the key"),
    pytest.param([ELSEWHERE], 1, "307 Temporary Redirect", id="a redirect, which the key doesn't follow"),
    pytest.param([status(400, b"x" * 3_000_000)], 1, "400 Bad Request: xxx", id="a huge error"),
    pytest.param([CUT], 1, "the stream ended before the answer did", id="cut after a piece"),
    pytest.param([GARBAGE], 1, "the stream holds what is no chunk", id="garbage"),
    pytest.param([status(200, b"<html>hello</html>")], 1, "the answer is no event stream", id="a web page"),
    pytest.param(
        [stream({"error": {"message": "overloaded", "code": 400}})], 1, "overloaded", id="an error in the stream"
    ),
    pytest.param([stream(text("Hel"), {"error": {"message": "x", "code": 503}})], 1, "x", id="503 after a piece"),
]


@pytest.mark.parametrize(("replies", "asked", "problem"), FAILING)
async def test_how_a_failure_ends(
    waits: list[float], replies: list[bytes], asked: int, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with serving(*replies) as server:
            play = await run(server)
    assert len(server.requests) == asked == len(waits) + 1
    assert problem in play.error.message and "\n" not in play.error.message
    assert play.last.status == "failed"
    assert [event.author for event in play.events] == ["user"], "a broken answer is not stored"
    told = json.dumps([signal_to_json(signal) for signal in play.signals]) + caplog.text + repr(play.signals)
    assert KEY not in told


@pytest.mark.parametrize("url", ["localhost:1", "ftp://x/v1", "http://", "http://x:port/v1"])
async def test_an_address_that_is_none(url: str) -> None:
    play = played(AGENT, models=DefaultModels({"OPENAI_BASE_URL": url}))
    assert "is no address" in (await play.turn("Hi")).error.message


# Variables of the environment, the address that is asked, and what the error says.
USELESS = [
    ({"ALL_PROXY": "socks5://u:hunter2@127.0.0.1:1"}, "needs `socksio`"),
    ({"ALL_PROXY": "gopher://u:hunter2@127.0.0.1:1"}, "holds no address of a proxy"),
    ({"HTTPS_PROXY": "http://u:hunter2@[::1"}, "holds no address of a proxy"),
    ({"SSL_CERT_FILE": "/nowhere/at/all"}, "can't be loaded: No such file or directory"),
]


@pytest.mark.parametrize(("variables", "told"), USELESS)
async def test_what_the_environment_says_and_is_of_no_use(
    variables: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    play = played(AGENT, models=DefaultModels({"OPENAI_BASE_URL": "https://example.invalid/v1"}))
    message = (await play.turn("Hi")).error.message
    assert told in message and "hunter2" not in message


async def test_a_password_in_an_address_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with serving(OK) as server:
            models = DefaultModels({"OPENAI_BASE_URL": server.url.replace("//", "//user:hunter2@")})
            play = played(AGENT, models=models)
            async with play.runner:
                await play.turn("Hi")
    assert play.last.text == "Hello"
    assert server.requests[0].headers["authorization"].startswith("Basic ")
    assert "hunter2" not in caplog.text


@pytest.mark.usefixtures("waits")
async def test_an_answer_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolebook_runner.models.http._LONGEST_ANSWER", 10_000)
    async with serving(stream(text("Hel"), done=False) + b"data: " + b"x" * 20_000) as server:
        play = await run(server)
    assert play.error.message.endswith("the answer doesn't end within 10,000 bytes")


async def test_more_calls_at_once_than_a_client_keeps_connections() -> None:
    """With httpx's own limit of 100 the others would wait for a connection, and fail."""
    calls, waiting = 150, asyncio.Event()
    reached: list[int] = []

    class Gate(Server):
        async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            reached.append(1)
            if len(reached) == calls:
                waiting.set()
            await waiting.wait()
            await super().handle(reader, writer)

    gate = Gate([OK] * calls)
    listening = await asyncio.start_server(gate.handle, "127.0.0.1", 0, backlog=calls)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    play = played(AGENT, models=DefaultModels({"OPENAI_BASE_URL": url}))
    async with listening, play.runner:
        await asyncio.gather(*(play.turn("Hi", session=str(number)) for number in range(calls)))
    assert len(gate.requests) == calls and not play.told(Error)


@pytest.mark.usefixtures("waits")
async def test_a_server_that_cannot_be_reached() -> None:
    async with serving() as server:
        pass
    play = await run(server)
    assert play.error.message.endswith("the server can't be reached (attempt 4 of 4)")
    assert server.url.removeprefix("http://").removesuffix("/v1") in play.error.message


async def test_a_failed_turn_is_followed_by_a_good_one() -> None:
    async with serving(CUT, OK) as server:
        models = DefaultModels({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY})
        play = played(AGENT, models=models)
        async with play.runner:
            await play.turn("one")
            await play.turn("two")
    assert play.last.text == "Hello"
    assert [message["content"] for message in json.loads(server.requests[1].body)["messages"][1:]] == ["one\n\ntwo"]


async def test_a_setting_that_is_not_honoured_is_a_warning() -> None:
    async with serving(OK) as server:
        play = await run(server, AGENT.replace("temperature: 0.5", "top_k: 3"))
    assert play.warnings == ["agent `a`: Chat Completions has no setting `top_k`; it is left out"]


@pytest.mark.parametrize(("reason", "warning"), [("length", "token limit"), ("content_filter", "filter")])
async def test_an_answer_that_is_cut_short_is_a_warning(reason: str, warning: str) -> None:
    async with serving(stream(text("Hel", reason))) as server:
        play = await run(server)
    assert play.last.text == "Hel"
    assert warning in play.warnings[0]


async def test_a_tool_that_the_runner_does_not_have_is_not_kept_from_the_model_in_silence() -> None:
    async with serving() as server:
        play = await run(server, AGENT + "\ntools: [{name: google_search}]")
    assert "`google_search(context)`" in play.error.message
    assert server.requests == []


# Model, variables, and who answers: an address, or why it is a rehearsal, or an error.
CHOICES: list[tuple[str, Mapping[str, str], str]] = [
    ("gpt-5", {"OPENAI_API_KEY": KEY}, "https://api.openai.com/v1"),
    ("openai/gpt-5", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://x/v1/"}, "http://x/v1"),
    ("gpt-5", {"OPENAI_BASE_URL": "http://x/v1"}, "http://x/v1"),
    ("gpt-5", {}, "`gpt-5` needs a key, and OPENAI_API_KEY isn't set"),
    ("ollama/qwen3", {}, "http://127.0.0.1:11434/v1"),
    ("ollama/qwen3", {"OPENAI_BASE_URL": "http://x"}, "http://127.0.0.1:11434/v1"),
    ("ollama/qwen3", {"OLLAMA_BASE_URL": "http://box:1/v1"}, "http://box:1/v1"),
    ("vllm/m", {}, "http://127.0.0.1:8000/v1"),
    ("lmstudio/m", {}, "http://127.0.0.1:1234/v1"),
    ("llamacpp/m", {}, "http://127.0.0.1:8080/v1"),
    (
        "openrouter/meta/llama",
        {"OPENAI_API_KEY": KEY},
        "`openrouter/meta/llama` needs a key, and OPENROUTER_API_KEY isn't set",
    ),
    ("openrouter/meta/llama", {"OPENROUTER_API_KEY": KEY}, "https://openrouter.ai/api/v1"),
    ("gemini-2.5-flash", {}, "`gemini-2.5-flash` needs a key, and GEMINI_API_KEY or GOOGLE_API_KEY isn't set"),
    ("claude-opus-4-6", {}, "`claude-opus-4-6` needs a key, and ANTHROPIC_API_KEY isn't set"),
    ("rehearsal", {"OPENAI_API_KEY": KEY}, "the model is `rehearsal`"),
    ("gemini-2.5-flash", {"GOOGLE_API_KEY": KEY}, "https://generativelanguage.googleapis.com/v1beta"),
    ("google/gemini-2.5-flash", {"GEMINI_BASE_URL": "http://x/"}, "http://x/v1beta"),
    ("vertex_ai/gemini-2.5-flash", {"GEMINI_API_KEY": KEY}, "Vertex AI takes no keys"),
    ("anthropic/claude-opus-4-6", {"ANTHROPIC_API_KEY": KEY}, "https://api.anthropic.com/v1"),
    ("claude-opus-4-6", {"ANTHROPIC_BASE_URL": "http://x/v1"}, "http://x/v1"),
    ("claude-opus-4-6", {"ANTHROPIC_API_KEY": "sk-two\nlines"}, "ANTHROPIC_API_KEY holds characters that no key has"),
    ("my-model", {}, "belongs to no known provider"),
    ("my-model", {"OPENAI_BASE_URL": "http://x/v1"}, "http://x/v1"),
    ("acme/m", {}, "set ACME_BASE_URL"),
    ("gpt-5", {"OPENAI_API_KEY": "sk-two\nlines"}, "OPENAI_API_KEY holds characters that no key has"),
]


@pytest.mark.parametrize(("model", "variables", "answer"), CHOICES)
async def test_who_answers(model: str, variables: Mapping[str, str], answer: str) -> None:
    from rolebook_runner.errors import RunError
    from rolebook_runner.models.choose import chosen
    from rolebook_runner.models.servers import Server as Chosen

    try:
        found = chosen(model, variables)
    except RunError as error:
        assert answer in str(error) and KEY not in str(error) and "sk-two" not in str(error)
        return
    assert (found.base_url if isinstance(found, Chosen) else found) == answer
    assert KEY not in repr(found)
