"""`rolebook tokens` and `compile --execute`: what they print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rolebook_cli.main import main

AGENT = """\
name: desk
model: gpt-4o
description: "Answers.\\e[31m"
instruction: {function: desk_texts.text}
tools: [{name: desk_texts.look}]
"""
CODE = """\
def text(context):
    print("noise")
    return "Serve " + context.state.get("user", "nobody") + "."


def look(place: str) -> str:
    "Looks."
    return place
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "root_agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "desk_texts.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "rolebook.toml").write_text("[tokens]\nbudget = 50\nstatic_budget = 5\n", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "desk_texts", raising=False)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return status, out, err


def tokens(capsys: pytest.CaptureFixture[str], *args: object) -> Any:
    status, out, _ = call(capsys, "tokens", *args, "--format", "json")
    assert status == 0
    return json.loads(out)


def test_tokens_as_json(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = tokens(capsys, desk)
    assert (found["agent"], found["model"], found["window"], found["budget"]) == ("desk", "gpt-4o", 128000, 50)
    parts = {part["part"]: part for part in found["parts"]}
    assert list(parts) == ["static", "dynamic", "tool look", "framing"]
    assert {"part", "tokens", "tokenizer", "exact"} <= set(parts["static"])
    assert parts["static"]["exact"] and not parts["tool look"]["exact"]
    assert (parts["dynamic"]["tokens"], parts["dynamic"]["holes"]) == (0, ["desk_texts.text(context)"])
    assert found["total"]["tokens"] == sum(part["tokens"] for part in found["parts"])


def test_tokens_as_text(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "tokens", desk)
    assert status == 0 and "\x1b" not in out
    assert re.search(r"static +\d+  exact\n", out) and "without ⟨desk_texts.text(context)⟩" in out
    assert "of 128,000" in out and "┃ budget 50" in out and "more than the static budget of 5" in out


def test_tokens_after_events_and_for_another_model(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = desk / "events.json"
    events.write_text('[{"id": 1, "author": "user", "branch": null, "text": "Where?"}]', encoding="utf-8")
    (found,) = tokens(capsys, desk, "--events", events, "--model", "gemini-2.5-flash")
    assert "message 1 (user)" in [part["part"] for part in found["parts"]]
    assert {part["tokenizer"] for part in found["parts"]} == {"gemma3"}


def test_execute_fills_the_holes(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "compile", desk, "--execute", "--state", "user=Ann", "--format", "json")
    (request,) = json.loads(out)  # what the user's code prints isn't in it
    assert status == 0 and request["dynamic_system_instruction"] == "Serve Ann." and "noise" in err
    (found,) = tokens(capsys, desk, "--execute")
    assert not any("holes" in part for part in found["parts"])


def test_execute_tells_what_failed(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "desk_texts.py").write_text(CODE.replace('return "Serve', 'raise ValueError("no") or "'), encoding="utf-8")
    status, out, err = call(capsys, "compile", desk, "--execute", "--format", "json")
    assert status == 0 and json.loads(out)[0]["dynamic_system_instruction"] == ""
    assert "warning: the instruction function `desk_texts.text` of agent `desk` failed" in err


def test_compile_escapes_what_a_terminal_would_obey(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "compile", desk)
    assert status == 0 and "\x1b" not in out and "Answers." in out
    assert "tokens (exact, o200k_base)" in out
    assert "⟨desk_texts.text(context): known at run⟩" in out


def test_asking_without_a_key_says_so(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (found,) = tokens(capsys, desk, "--ask", "--execute")
    assert found["asked"] == {"problem": "OPENAI_API_KEY isn't set"}


def test_checking_loads_no_tokenizer(desk: Path) -> None:
    (desk / "rolebook.toml").unlink()  # a prompt that has more bytes than a budget has tokens must be counted
    said = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "rolebook_cli", "check", str(desk)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert said.returncode in (0, 1)
    assert "splintr" not in said.stderr and "rolebook.rules" in said.stderr


def test_execute_for_a_session_searches_what_was_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "root_agent.yaml").write_text("name: a\ninstruction: {function: past.text}\n", encoding="utf-8")
    (tmp_path / "past.py").write_text(
        "async def text(context):\n"
        "    found = await context.memory.search('tea')\n"
        "    return ', '.join(f'{memo.session} {memo.text}' for memo in found if memo.author == 'user')\n",
        encoding="utf-8",
    )
    store = ("--store", tmp_path / "s.db")
    for session, text in (("one", "I like tea."), ("two", "Hello.")):
        call(capsys, "run", tmp_path, text, "--session", session, *store)
    status, out, _ = call(capsys, "compile", tmp_path, "--session", "two", *store, "--execute", "--format", "json")
    assert status == 0 and json.loads(out)[0]["dynamic_system_instruction"] == "one I like tea."


def test_what_can_be_cached_is_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = tokens(capsys, desk)
    caching = found["caching"]
    assert (caching["provider"], caching["minimum"], caching["tokens"]) == ("openai", 1024, 0)
    assert [part["part"] for part in caching["parts"]] == ["tools", "static", "dynamic", "conversation"]
    assert "caches from 1,024 on" in caching["parts"][1]["why"]
    _, out, _ = call(capsys, "tokens", desk)
    assert "cached 0 tokens" in out and "caches from 1,024 on" in out


def test_of_a_model_whose_provider_is_unknown_nothing_is_said_of_caching(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (found,) = tokens(capsys, desk, "--model", "nobodys-model")
    assert "caching" not in found
