"""Recordings of what goes to a provider and comes back, and runs that are answered from them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from play import Played, played
from server import call, serving, status, stream, text

from rolebook_runner.errors import RunError
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.recording import HEAD, Recorder
from rolebook_runner.models.replaying import Replay, first_difference
from rolebook_runner.models.traffic import Traffic

KEY = "sk-very-secret-0123456789"
AGENT = "name: a\nmodel: gpt-4o\ninstruction: For {guest}."


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolebook_runner.models.http.wait_before", lambda *_: 0.0)


async def run(traffic: Traffic, variables: Mapping[str, str], *said: str, **options: Any) -> Played:
    play = played(options.pop("definition", AGENT), models=DefaultModels(variables, traffic=traffic))
    async with play.runner:
        for words in said:
            await play.turn(words, state={"guest": "Ann"}, **options)
    traffic.close()
    return play


async def recorded(path: Path, *replies: bytes, said: tuple[str, ...] = ("Hi",)) -> Played:
    async with serving(*replies) as server:
        variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        return await run(Recorder(str(path), [Secret(KEY)]), variables, *said)


def told(play: Played) -> list[Any]:
    """What a run tells, without what is new each time."""
    return [(type(each).__name__, getattr(each, "text", None), getattr(each, "message", None)) for each in play.signals]


async def test_a_recording_holds_the_requests_and_the_bytes_that_came(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, stream(text("Hello"), text(" Ann", "stop")))
    head, exchange = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert head == HEAD
    request, response = exchange["request"], exchange["response"]
    assert (request["method"], request["path"]) == ("POST", "chat/completions")
    assert request["body"]["messages"][-1] == {"role": "user", "content": "Hi"}
    assert response["status"] == 200 and response["headers"] == {"content-type": "text/event-stream"}
    assert response["lines"][0] == "data: " + json.dumps(text("Hello"))
    assert response["lines"][-3:] == ["data: [DONE]", "", ""]


CONVERSATIONS: list[tuple[str, list[bytes], tuple[str, ...]]] = [
    ("one answer", [stream(text("Hello", "stop"))], ("Hi",)),
    ("two turns", [stream(text("One", "stop")), stream(text("Two", "stop"))], ("Hi", "And?")),
    ("a tool that isn't there", [stream(call("x", "{}")), stream(text("Oh", "stop"))], ("Hi",)),
    ("too many requests at first", [status(429, b"{}", ("retry-after: 7",)), stream(text("Now", "stop"))], ("Hi",)),
    ("an answer that breaks off", [stream(text("He"), done=False)], ("Hi",)),
    ("a refusal", [status(400, b'{"error": {"message": "no"}}')], ("Hi",)),
    ("bytes that are no text", [status(200, b"data: \xff\xfe\n\n")], ("Hi",)),
]


@pytest.mark.parametrize(("replies", "said"), [case[1:] for case in CONVERSATIONS], ids=[c[0] for c in CONVERSATIONS])
async def test_a_replay_tells_the_same_without_a_network_or_a_key(
    tmp_path: Path, replies: list[bytes], said: tuple[str, ...]
) -> None:
    path = tmp_path / "r.jsonl"
    before = await recorded(path, *replies, said=said)
    replay = Replay(str(path), [])
    after = await run(replay, {}, *said)
    assert _placeless(before) == _placeless(after)
    assert replay.left == 0


def _placeless(play: Played) -> list[Any]:
    """What a run told, without the server's address."""
    return [
        (name, text, re.sub(r"127\.0\.0\.1:\d+|api\.openai\.com", "HOST", message or ""))
        for name, text, message in told(play)
    ]


async def test_no_key_gets_into_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    echo = json.dumps({"error": {"message": f"the key {KEY} is wrong"}}).encode()
    await recorded(path, status(401, echo, (f"x-request-id: {KEY}",)), said=(f"My key is {KEY}.",))
    assert KEY not in path.read_text(encoding="utf-8")
    assert "My key is [key]." in path.read_text(encoding="utf-8")
    replay = Replay(str(path), [Secret(KEY)])
    play = await run(replay, {"OPENAI_API_KEY": KEY}, f"My key is {KEY}.")
    assert "401" in play.error.message and replay.left == 0


async def test_a_request_that_differs_ends_the_turn_and_says_where(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, stream(text("One", "stop")), stream(text("Two", "stop")), said=("Hi", "And then?"))
    play = await run(Replay(str(path), []), {}, "Hi", "And now?")
    assert play.error.message == (
        f'request 2 differs from the recording {path} at `messages[3].content`: recorded is "And then?", now "And now?"'
    )
    assert play.last.status == "failed"
    play = await run(Replay(str(path), []), {}, "Hi", "And then?", "More?")
    assert play.error.message == f"the recording {path} holds 2 requests, and this run makes another one"


async def test_the_order_in_which_agents_ask_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, stream(text("One", "stop")), stream(text("Two", "stop")), said=("Hi", "And?"))
    head, one, two = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([head, two, one]), encoding="utf-8")
    assert (await run(Replay(str(path), []), {}, "Hi", "And?")).last.text == "Two"


async def test_what_a_replay_does_not_ask_for_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, stream(text("One", "stop")), stream(text("Two", "stop")), said=("Hi", "And?"))
    replay = Replay(str(path), [])
    await run(replay, {}, "Hi")
    assert replay.left == 1


EXCHANGE = {"request": {"method": "POST", "path": "x", "body": {}}, "response": {"status": 200, "headers": {}}}
BROKEN: list[tuple[bytes | None, str]] = [
    (None, "can't be read: No such file or directory"),
    (b"\xff", "can't be read: it is no UTF-8 text"),
    (b"", "is no recording"),
    (b"[]\n", "is no recording"),
    (b'{"rolebook": "traffic", "version": 99}\n', "another version"),
    (json.dumps(HEAD).encode() + b"\n\n{}\n", "line 3: this is no request with its response"),
    (json.dumps(HEAD).encode() + b"\n" + json.dumps(EXCHANGE).encode(), "line 2: this is no request"),
]


@pytest.mark.parametrize(("content", "problem"), BROKEN)
def test_a_file_that_is_no_recording(tmp_path: Path, content: bytes | None, problem: str) -> None:
    path = tmp_path / "r.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RunError, match=problem):
        Replay(str(path), [])


def test_a_recording_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="can't be written: "):
        Recorder(str(tmp_path / "missing" / "r.jsonl"), [])


DIFFERENCES: list[tuple[Any, Any, tuple[str, str, str]]] = [
    ({"a": 1}, {"a": 2}, ("a", "1", "2")),
    ({"a": 1, "b": 2}, {"a": 1}, ("b", "2", "nothing")),
    ({"a": 1}, {"a": 1, "b": 2}, ("b", "nothing", "2")),
    ({"a": [1, {"b": True}]}, {"a": [1, {"b": "1"}]}, ("a[1].b", "true", '"1"')),
    ([1], [1, 2], ("[1]", "nothing", "2")),
    ({"a": "x" * 99 + "b"}, {"a": "x" * 99 + "c"}, ("a", f'"…{"x" * 30}b"', f'"…{"x" * 30}c"')),
    ({"a": "same"}, {"a": "same and more"}, ("a", '"same"', '"same and more"')),
    ({"a": [1, 2]}, {"a": "1"}, ("a", "[1,2]", '"1"')),
]


@pytest.mark.parametrize(("before", "now", "difference"), DIFFERENCES)
def test_the_first_difference(before: Any, now: Any, difference: tuple[str, str, str]) -> None:
    assert first_difference(before, now) == difference
