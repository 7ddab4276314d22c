"""`rolebook sessions`, and `compile --session`: what a user reads of stored sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rolebook_cli.main import main

DEFINITION = """
name: desk
model: gpt-4o
instruction: For {guest}.
state: {guest: {default: nobody}}
rehearsal: [{on: room, transfer: rooms}, {say: "Hello, {guest}"}]
sub_agents:
  - name: rooms
    description: Books rooms.
    instruction: Guest {guest}, {artifact.map.txt?}.
    tools: [{name: tools.book}]
    rehearsal: [{on: book, call: {book: {nights: 2}}}, {say: "Booked {result?}"}]
"""
TOOLS = '''
def book(nights: int, context) -> str:
    """Books a room."""
    context.state["guest"] = "Ann"
    context.state["user:nights"] = nights
    return "room 7"
'''


class Desk:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        (folder / "rolebook.toml").write_text('[run]\nstore = "s.db"\n', encoding="utf-8")
        (folder / "tools.py").write_text(TOOLS, encoding="utf-8")
        self.define(DEFINITION)

    def define(self, text: str) -> None:
        (self.folder / "root_agent.yaml").write_text(text, encoding="utf-8")

    def __call__(self, *args: str, status: int = 0) -> str:
        got = main([*args])
        out, self.err = self.capsys.readouterr()
        assert got == status, (out, self.err)
        return out

    def talk(self, session: str, *messages: str) -> None:
        for message in messages:
            self("run", ".", message, "--session", session)


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, capsys)


def test_before_the_first_session(desk: Desk) -> None:
    assert desk("sessions", "list").startswith("no sessions in ")
    assert not (desk.folder / "s.db").exists()
    desk("sessions", "show", "x", status=2)
    assert desk.err == "rolebook: there are no sessions yet: s.db isn't there\n"


def test_the_list(desk: Desk) -> None:
    desk.talk("first", "Hi\n there")
    desk.talk("second", "A room, " + "very " * 50)
    lines = desk("sessions", "list").splitlines()
    assert [line.split()[:3] for line in lines] == [["second", "desk", "user"], ["first", "desk", "user"]]
    assert lines[0].endswith("very v…") and lines[1].endswith("  2 events  Hi there")
    rows = json.loads(desk("sessions", "list", "--format", "json"))
    assert [(row["session"], row["events"]) for row in rows] == [("second", 4), ("first", 2)]
    assert desk("sessions", "list", "--app", "other").startswith("no sessions")


def test_a_transcript(desk: Desk) -> None:
    desk.talk("one", "A room please", "book it")
    assert desk("sessions", "show", "o").splitlines()[1:] == [
        "",
        "you: A room please",
        "  desk hands over to rooms",
        "rooms: Booked ",
        "",
        "you: book it",
        '  rooms calls book {"nights":2}',
        '  book gave "room 7"',
        "rooms: Booked room 7",
        "",
        "state",
        "  user:nights: 2",
        '  guest: "Ann"',
    ]
    shown = json.loads(desk("sessions", "show", "one", "--format", "json"))
    assert (shown["session"], shown["app"], len(shown["events"])) == ("one", "desk", 8)
    assert shown["state"] == {"guest": "Ann", "user:nights": 2}


def test_an_export_is_read_by_compile(desk: Desk) -> None:
    desk.talk("one", "A room please", "book it")
    exported = desk("sessions", "export", "one").splitlines()
    assert len(exported) == 9 and json.loads(exported[0])["session"] == "one"
    desk("sessions", "export", "one", "--output", "one.jsonl")
    assert (desk.folder / "one.jsonl").read_text(encoding="utf-8").splitlines() == exported
    by_file = desk("compile", ".", "--events", "one.jsonl", "--state", "guest=Ann", "--for", "openai")
    assert desk("compile", ".", "--session", "one", "--for", "openai") == by_file
    assert "Guest Ann" in by_file and '"room 7"' in by_file


def test_the_next_request_is_that_of_the_agent_whose_turn_it_is(desk: Desk) -> None:
    desk.talk("one", "A room please")
    (request,) = json.loads(desk("compile", ".", "--session", "on", "--format", "json"))
    assert request["agent"] == "rooms" and len(request["messages"]) == 4
    (request,) = json.loads(desk("compile", ".", "--session", "on", "--agent", "desk", "--format", "json"))
    assert request["dynamic_system_instruction"] == "For nobody."
    desk("compile", ".", "--session", "one", "--events", "x", status=2)
    assert "exclude each other" in desk.err


def test_an_interrupted_call_is_answered(desk: Desk) -> None:
    """What a kill in the middle of a tool call leaves behind: a call without a response."""
    import sqlite3
    from contextlib import closing

    desk.talk("one", "A room please", "book it")
    with closing(sqlite3.connect("s.db")) as connection:
        connection.execute("DELETE FROM events WHERE position >= 6")
        connection.execute("UPDATE sessions SET events = 6")
        connection.commit()
    assert '  rooms calls book {"nights":2} (interrupted)' in desk("sessions", "show", "one")
    body = json.loads(desk("compile", ".", "--session", "one", "--for", "openai"))
    assert (body["messages"][-1]["role"], body["messages"][-1]["content"]) == ("tool", "interrupted")
    desk.talk("one", "and now?")
    assert "you: and now?\nrooms: Booked \n" in desk("sessions", "show", "one")


def test_ids_may_be_cut_where_they_stay_unique(desk: Desk) -> None:
    for session in ("abc", "abd", "ab"):
        desk.talk(session, "Hi")
    desk("sessions", "show", "ab")
    desk("sessions", "show", "a", status=2)
    assert "may be any of" in desk.err and "`abd` (app desk, user user)" in desk.err
    desk("sessions", "show", "abx", status=2)
    assert desk.err == "rolebook: there is no session `abx`; did you mean `ab`?\n"
    desk("sessions", "show", "", status=2)


def test_deleting(desk: Desk) -> None:
    for session in ("one", "two", "three"):
        desk.talk(session, "Hi")
    desk("sessions", "delete", "one", "nope", status=2)
    assert len(desk("sessions", "list").splitlines()) == 3
    assert desk("sessions", "delete", "one", "th") == "deleted one (2 events)\ndeleted three (2 events)\n"
    assert [line.split()[0] for line in desk("sessions", "list").splitlines()] == ["two"]


def test_a_replay_shows_where_answers_differ(desk: Desk) -> None:
    desk.talk("one", "Hi", "A room please", "book it")
    assert desk("sessions", "replay", "one", ".").splitlines() == [
        "1. same  Hi", "2. same  A room please", "3. same  book it"
    ]  # fmt: skip
    desk.define(DEFINITION.replace('"Booked {result?}"', '"You have {result?}"'))
    (desk.folder / "tools.py").write_text(TOOLS, encoding="utf-8")
    out = desk("sessions", "replay", "one", ".", status=1)
    assert out.splitlines() == [
        "1. same  Hi",
        "2. differs  A room please",
        "      desk hands over to rooms",
        "   -rooms: Booked ",
        "   +rooms: You have ",
        "3. differs  book it",
        '      rooms calls book {"nights":2}',
        '      book gave "room 7"',
        "   -rooms: Booked room 7",
        "   +rooms: You have room 7",
    ]
    assert [line.split()[0] for line in desk("sessions", "list").splitlines()] == ["one"]


def test_a_replay_that_fails_says_so(desk: Desk) -> None:
    desk.talk("one", "Hi", "Hi")
    results: list[Any] = json.loads(
        desk("sessions", "replay", "one", ".", "--model", "nobody-knows", "--format", "json", status=1)
    )
    assert [result["same"] for result in results] == [False, False]
    assert results[0]["after"][-1].startswith("error: the model `nobody-knows`")


def test_a_tree_with_errors_is_not_replayed(desk: Desk) -> None:
    desk.talk("one", "Hi")
    desk.define("name: desk\nmodl: x\n")
    desk("sessions", "replay", "one", ".", status=2)
    assert desk.err == "rolebook: a tree with errors isn't run; `rolebook check` shows them\n"


def test_a_terminal_obeys_nothing_that_was_said(desk: Desk) -> None:
    desk.talk("one\x1b[2J", "Hi \x1b[31m")
    for command in (["list"], ["show", "one"], ["replay", "one", "."]):
        assert "\x1b" not in desk("sessions", *command)


def test_a_memory_store_has_nothing_to_show(desk: Desk) -> None:
    desk("sessions", "show", "x", "--store", "memory", status=2)
    assert desk.err == "rolebook: a `memory` store keeps no sessions\n"
    (desk.folder / "s.db").write_bytes(b"no database at all, " * 100)
    desk("sessions", "list", status=2)
    assert desk.err.endswith("can't be used: it is no SQLite database\n") and desk.err.count("\n") == 1
