"""What a provider does wrong ends in the documented way: nothing hangs, nothing is lost, and no key is seen anywhere.

Each case is a turn with such a provider, then one with a good answer in the same session (docs/running.md).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from unreliable import HANG, KEY, WIRES, Provider, response, streamed, unreliable

from rolebook_cli.main import main

ECHO = json.dumps({"error": {"type": "x", "code": 1, "message": f"the key {KEY} isn't welcome"}}).encode()


def good(wire: Any) -> bytes:
    return streamed(*wire.said("fine"), *wire.ended())


def calls(*them: tuple[str, str, str]) -> Callable[[Any], list[bytes]]:
    return lambda wire: [streamed(*wire.called(*them)), good(wire)]


TWO = ("look", '{"what": "a"}'), ("look", '{"what": "b"}')

# Name, the replies of the first turn, how it ends, and a part of its error or of a tool's response.
CASES: list[tuple[str, Callable[[Any], list[bytes]], str, str]] = [
    ("429 at first", lambda wire: [response("429 Slow", ECHO, "retry-after: 9"), good(wire)], "done", ""),
    ("429 always", lambda _: [response(f"429 {KEY}", ECHO)] * 4, "failed", "429"),
    ("500 at first", lambda wire: [response("500 Oh", b"<html>")] * 3 + [good(wire)], "done", ""),
    ("500 always", lambda _: [response("500 Oh", ECHO)] * 4, "failed", "500 Oh"),
    ("a wrong key", lambda _: [response("401 No", ECHO, f"x-request-id: {KEY}")], "failed", "401 No"),
    ("nothing comes", lambda _: [HANG], "failed", "max_turn_seconds"),
    ("nothing more comes", lambda wire: [streamed(*wire.said("so")) + HANG], "failed", "max_turn_seconds"),
    ("a cut stream", lambda wire: [streamed(*wire.said("so"))], "failed", "ended before the answer did"),
    ("a cut line", lambda wire: [streamed(*wire.said("so"))[:-20]], "failed", "no chunk"),
    ("a cut body", lambda _: [response("200 OK", b"data: ", "content-length: 99")] * 4, "failed", "without sending"),
    ("no answer", lambda _: [b""] * 4, "failed", "disconnected"),
    ("no HTTP", lambda _: [b"\x00\xff garbage\r\n\r\n"] * 4, "failed", "127.0.0.1"),
    ("garbage", lambda _: [response("200 OK", b"\x00\xff\xfe<html>" * 99)], "failed", "no event stream"),
    ("broken JSON", lambda _: [streamed('{"choices": [', "nope", "[]", "3")], "failed", "127.0.0.1"),
    ("an error in the stream", lambda wire: [streamed(*wire.said("so"), *wire.failed(KEY))], "failed", "…"),
    ("an unknown tool", calls(("c1", "fly", "{}")), "done", "there is no tool `fly`"),
    ("arguments that are no JSON", calls(("c1", "look", '{"what": ')), "done", "the arguments are no JSON"),
    ("arguments that are no object", calls(("c1", "look", '["a"]')), "done", "the arguments are no JSON object"),
    ("arguments of a wrong type", calls(("c1", "look", '{"what": 3}')), "done", "what"),
    ("no arguments", calls(("c1", "look", "")), "done", ""),
    ("a call without a name", calls(("c1", "", "{}")), "done", ""),
    ("one id for two calls", calls(("c1", *TWO[0]), ("c1", *TWO[1])), "done", ""),
    ("no ids", calls(("", *TWO[0]), ("", *TWO[1])), "done", ""),
    ("ids of a strange form", calls(("ä ö\n", *TWO[0]), ("x" * 999, *TWO[1])), "done", ""),
]


class Run:
    """`rolebook run` against a provider, with everything that it leaves behind."""

    def __init__(self, folder: Path, wire: Any, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.wire, self._capsys = folder, wire, capsys
        self.out, self.err = "", ""
        (folder / "root_agent.yaml").write_text(f"name: a\nmodel: {wire.model}\ntools: [{{name: tools.look}}]\n")
        (folder / "tools.py").write_text('def look(what: str) -> str:\n    """Looks."""\n    return what.upper()\n')

    def turn(self, text: str, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        monkeypatch.setenv(f"{self.wire.name}_BASE_URL", provider.url + self.wire.version)
        monkeypatch.setenv(f"{self.wire.name}_API_KEY", KEY)
        options = [
            "--session",
            "s",
            "--store",
            str(self.folder / "s.db"),
            "--record",
            str(self.folder / f"{text}.jsonl"),
        ]
        main(["run", str(self.folder), text, "--json", *options])
        out, err = self._capsys.readouterr()
        self.out, self.err = self.out + out, self.err + err
        return [json.loads(line) for line in out.splitlines()]

    def left_behind(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name.lower())
@pytest.mark.parametrize(("replies", "status", "told"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_ends_as_documented(
    tmp_path: Path,
    wire: Any,
    replies: Callable[[Any], list[bytes]],
    status: str,
    told: str,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rolebook_runner.models.http.wait_before", lambda *_: 0.0)
    caplog.set_level(logging.DEBUG)
    seconds = 1 if told == "max_turn_seconds" else 60
    (tmp_path / "rolebook.toml").write_text(f"[run]\nmax_turn_seconds = {seconds}\n")
    run = Run(tmp_path, wire, capsys)
    laid_out = replies(wire)
    with unreliable(*laid_out) as provider:
        signals = run.turn("first", provider, monkeypatch)
        assert provider.replies == []
        asked = provider.asked[-1]
    assert (signals[-1]["type"], signals[-1]["status"]) == ("turn_finished", status)
    errors = [signal["message"] for signal in signals if signal["type"] == "error"]
    assert len(errors) == (status == "failed")
    responses = [json.dumps(signal["response"]) for signal in signals if signal["type"] == "tool_finished"]
    assert told in "\n".join([*errors, *responses])
    calls, answers = wire.call_ids(asked)
    assert calls == answers and len(set(calls)) == len(calls)
    with unreliable(good(wire)) as provider:
        assert run.turn("second", provider, monkeypatch)[-1]["text"] == "fine"
        said = json.dumps(provider.asked[0])
        assert "first" in said and "second" in said and '"so"' not in said
    echoed = any(KEY.encode() in reply.partition(b"\r\n\r\n")[0] for reply in laid_out)
    logs = [each for each in caplog.records if not echoed or each.name.startswith("rolebook")]  # httpx logs heads
    for captured in (run.out, run.err, "\n".join(each.getMessage() for each in logs)):
        assert KEY not in captured
    assert KEY.encode() not in run.left_behind()
