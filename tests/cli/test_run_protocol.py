"""`rolebook run --protocol`, as an editor drives it (docs/run-protocol.md)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

DEFINITION = """
name: desk
state: {guest: {default: nobody}}
instruction: For {guest}.
tools: [{name: tools.wait}, {name: tools.noise}, {name: tools.flood}]
rehearsal:
  - {on: wait, call: {wait: {}}}
  - {on: noise, call: {noise: {}}}
  - {on: flood, call: {flood: {}}}
  - say: "Hello {guest}."
"""
TOOLS = '''
import subprocess, sys, time

def wait() -> str:
    """Waits."""
    time.sleep(600)

def noise() -> str:
    """Makes noise, and reads what isn't meant for it."""
    print("noise")
    subprocess.run(["echo", "more noise"])
    return repr(sys.stdin.read()) + repr(sys.stdin.fileno() and None)

def flood() -> list:
    """Gives far more than a pipe holds."""
    return ["x" * 9000] * 10
'''


class Editor:
    """A client. `got` are the messages so far."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "rolebook_cli", "run", str(folder), "--protocol", *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.got: list[dict[str, Any]] = []

    def send(self, id: int | str, command: str, **more: Any) -> None:
        self.write(json.dumps({"id": id, "command": command, **more}))

    def write(self, line: str) -> None:
        self.stdin.write(line + "\n")
        self.stdin.flush()

    def until(self, **fields: Any) -> dict[str, Any]:
        """The next message with these fields."""
        while line := self.stdout.readline():
            message = json.loads(line)
            self.got.append(message)
            if all(message.get(name) == value for name, value in fields.items()):
                return dict(message)
        raise AssertionError(f"it ended before {fields}; {self.got[-3:]}")

    def signal(self, type: str) -> dict[str, Any]:
        while True:
            told = self.until(type="signal")["signal"]
            if told["type"] == type:
                return dict(told)

    def states(self) -> list[str]:
        return [message["state"] for message in self.got if message["type"] == "state"]

    def end(self) -> int:
        """Reads what is left; the exit status."""
        self.got += [json.loads(line) for line in self.stdout]
        return self.process.wait(60)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.stdin, self.stdout, self.process.stderr):
            with suppress(BrokenPipeError):
                stream.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(DEFINITION, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "rolebook.toml").write_text("", encoding="utf-8")
    return tmp_path


@pytest.fixture
def editor(folder: Path) -> Iterator[Editor]:
    editor = Editor(folder, "--session", "s", "--store", str(folder / "s.db"))
    editor.until(state="waiting")
    yield editor
    editor.close()


def test_a_turn_from_hello_to_quit(editor: Editor) -> None:
    assert editor.got[0]["type"] == "hello" and editor.got[0]["protocol"] == 1
    assert editor.got[-1] == {"type": "state", "state": "waiting", "session": "s"}
    editor.send("a", "turn", text="Hi", state={"guest": "Ann"})
    assert editor.until(type="answer") == {
        "type": "answer",
        "id": "a",
        "result": {"status": "done", "text": "Hello Ann."},
    }
    told = [message["signal"]["type"] for message in editor.got if message["type"] == "signal"]
    assert (told[0], told[-1]) == ("turn_started", "turn_finished")
    assert all(message["turn"] == "a" for message in editor.got if message["type"] == "signal")
    editor.send(2, "quit")
    assert editor.end() == 0
    assert editor.got[-2:] == [{"type": "answer", "id": 2, "result": {}}, {"type": "state", "state": "stopped"}]
    assert editor.states() == ["starting", "waiting", "running", "waiting", "stopped"]


def test_what_it_can_be_asked(editor: Editor) -> None:
    editor.send(1, "request")
    assert editor.until(id=1)["result"] == {"request": None}
    editor.send(2, "request", next=True, text="Hi")
    upcoming = editor.until(id=2)["result"]
    assert upcoming["request"]["body"]["messages"][0]["parts"] == [{"text": "Hi"}]
    editor.send(3, "turn", text="Hi")
    editor.until(id=3)
    editor.send(4, "request")
    sent = editor.until(id=4)["result"]["request"]
    assert (sent["agent"], sent["body"]["instruction"]) == ("desk", upcoming["request"]["body"]["instruction"])
    editor.send(5, "state")
    assert editor.until(id=5)["result"] == {"state": {"guest": "nobody"}}
    editor.send(6, "events")
    assert [event["author"] for event in editor.until(id=6)["result"]["events"]] == ["user", "desk"]


def test_a_turn_is_stopped_and_another_one_follows(editor: Editor) -> None:
    editor.send(1, "turn", text="wait")
    editor.signal("tool_started")
    editor.send(2, "turn", text="Hi")
    assert editor.until(id=2)["error"]["code"] == "busy"
    editor.send(3, "request", next=True)
    assert editor.until(id=3)["error"]["code"] == "busy"
    editor.send(4, "state")
    assert editor.until(id=4)["result"] == {"state": {"guest": "nobody"}}
    editor.send(5, "stop")
    assert editor.until(type="answer") == {"type": "answer", "id": 1, "result": {"status": "stopped"}}
    assert editor.until(type="answer") == {"type": "answer", "id": 5, "result": {"stopped": True}}
    editor.send(6, "stop")
    assert editor.until(id=6)["result"] == {"stopped": False}
    editor.send(7, "turn", text="Hi")
    assert editor.until(id=7)["result"]["status"] == "done"


GARBAGE: list[tuple[str, Any, str]] = [
    ("", None, "invalid"),
    ("no JSON", None, "invalid"),
    ("\x00\ud7ff", None, "invalid"),
    ("[" * 100_000, None, "invalid"),
    ("[]", None, "invalid"),
    ('{"command": "turn", "text": "x"}', None, "invalid"),
    ('{"id": [], "command": "state"}', None, "invalid"),
    ('{"id": 1}', 1, "unknown"),
    ('{"id": 1, "command": "fly"}', 1, "unknown"),
    ('{"id": 1, "command": ["turn"]}', 1, "unknown"),
    ('{"id": 1, "command": "turn"}', 1, "invalid"),
    ('{"id": 1, "command": "turn", "text": " "}', 1, "invalid"),
    ('{"id": 1, "command": "turn", "text": "x", "state": [1]}', 1, "invalid"),
    ('{"id": 1, "command": "request", "text": 3}', 1, "invalid"),
    ('{"id": 1, "command": "request", "text": "x", "next": true, "more": 1}', 1, ""),
    ('{"id": 1, "command": "turn", "text": "x", "state": {"temp:x": 1}}', 1, "refused"),
    ("x" * 11_000_000, None, "invalid"),
]


def test_garbage_is_answered_and_changes_nothing(editor: Editor) -> None:
    for line, id, code in GARBAGE:
        editor.write(line)
        answer = editor.until(type="answer")
        assert (answer["id"], answer.get("error", {}).get("code", "")) == (id, code), line[:80]
    editor.send(2, "turn", text="Hi")
    assert editor.until(id=2)["result"]["status"] == "done"


def test_output_and_input_are_the_protocols_alone(editor: Editor) -> None:
    editor.send(1, "turn", text="noise")
    editor.send(2, "stop")
    editor.until(id=1)
    editor.send(3, "turn", text="noise")
    editor.until(id=3)
    (response,) = (m["signal"]["response"] for m in editor.got if m.get("signal", {}).get("type") == "tool_finished")
    assert response.startswith("''")
    editor.send(4, "quit")
    assert editor.end() == 0
    assert editor.process.stderr is not None and "noise\nmore noise\n" in editor.process.stderr.read()


def test_the_end_of_the_input_stops_the_turn_and_the_process(editor: Editor) -> None:
    editor.send(1, "turn", text="wait")
    editor.signal("tool_started")
    editor.stdin.close()
    assert editor.end() == 0
    assert editor.got[-1] == {"type": "state", "state": "stopped"}
    assert {"type": "answer", "id": 1, "result": {"status": "stopped"}} in editor.got


def test_a_closed_output_ends_it(editor: Editor) -> None:
    editor.stdout.close()
    editor.send(1, "turn", text="Hi")
    assert editor.process.wait(60) == 0


def test_a_reader_that_reads_nothing_does_not_keep_it_alive(editor: Editor) -> None:
    for id in range(40):
        editor.send(id, "turn", text="flood")
    editor.stdin.close()
    assert editor.process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_signal_ends_it(editor: Editor) -> None:
    editor.send(1, "turn", text="wait")
    editor.signal("tool_started")
    editor.process.send_signal(signal.SIGTERM)
    assert editor.end() == 0
    assert editor.states()[-1] == "stopped"


@pytest.mark.skipif(sys.platform == "win32", reason="it is told by the end of the input there")
def test_it_does_not_outlive_its_parent(folder: Path) -> None:
    """The input stays open in another process, as it happens where an editor has several children."""
    inner = [sys.executable, "-m", "rolebook_cli", "run", str(folder), "--protocol"]
    outer = f"import subprocess, time; subprocess.Popen({inner!r}); time.sleep(600)"
    readable, writable = os.pipe()
    with subprocess.Popen([sys.executable, "-c", outer], stdin=readable, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        while '"waiting"' not in parent.stdout.readline():
            pass
        parent.kill()
        assert json.loads(parent.stdout.read()) == {"type": "state", "state": "stopped"}
    os.close(readable)
    os.close(writable)


FAILING: list[tuple[str, int, str]] = [
    ("name: desk\nmodl: x\n", 1, "a tree with errors isn't run"),
    ("name: desk\nagent_class: Workflow\nedges: []\n", 2, "Workflow"),
]


@pytest.mark.parametrize(("definition", "status", "message"), FAILING)
def test_a_tree_that_cannot_be_run(folder: Path, definition: str, status: int, message: str) -> None:
    (folder / "root_agent.yaml").write_text(definition, encoding="utf-8")
    editor = Editor(folder)
    assert editor.end() == status
    last = editor.got[-1]
    assert (last["type"], last["state"]) == ("state", "failed") and message in last["message"]
    if status == 1:
        (problem,) = last["problems"]
        assert (problem["rule"], problem["line"], problem["column"]) == ("unknown-key", 2, 1)
    editor.close()


def test_a_message_of_the_command_line_is_the_first_turn(folder: Path) -> None:
    editor = Editor(folder, "Hi")
    assert editor.until(type="answer") == {
        "type": "answer",
        "id": None,
        "result": {"status": "done", "text": "Hello nobody."},
    }
    editor.stdin.close()
    assert editor.end() == 0
    editor.close()
