"""`rolebook run` as a chat whose input is no terminal: messages, commands, what goes where."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rolebook_cli.main import main

DEFINITION = """
name: desk
state: {guest: {default: nobody}}
instruction: For {guest}.
rehearsal:
  - {on: room, transfer: rooms}
  - say: "Hello {guest}: {input}"
sub_agents:
  - name: rooms
    description: Books rooms.
    tools: [{name: tools.book}]
    rehearsal: [{on: book, call: {book: {}}}, {say: "Which room?"}]
"""
TOOLS = '''
import subprocess, sys, threading

def book() -> str:
    """Books a room."""
    print("noise of the tool")
    thread = threading.Thread(target=print, args=("noise of a thread",))
    thread.start()
    thread.join()
    subprocess.run([sys.executable, "-c", "import sys; print('noise of a process', sys.stdin.read())"])
    return "room 7"
'''


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(DEFINITION, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "rolebook.toml").write_text("", encoding="utf-8")
    return tmp_path


class Chat:
    def __init__(self, desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.desk, self._monkeypatch, self._capsys = desk, monkeypatch, capsys

    def __call__(self, *lines: str, options: tuple[str, ...] = ()) -> tuple[int, list[str], str]:
        """Status, the lines of standard output, and standard error without what rehearsals say each time."""
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main(["run", str(self.desk), *options])
        out, err = self._capsys.readouterr()
        told = [line for line in err.splitlines() if not line.startswith("this is a rehearsal")]
        return status, out.splitlines(), "\n".join(told)


@pytest.fixture
def chat(desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Chat:
    return Chat(desk, monkeypatch, capsys)


MESSAGES: list[tuple[str, list[str], list[str]]] = [
    ("one line", ["Hi"], ["desk: Hello nobody: Hi"]),
    ("a line that goes on", ["Hi \\", "there"], ["desk: Hello nobody: Hi ", "there"]),
    ("a block", ['"""', "/quit", "", 'there"""'], ["desk: Hello nobody: /quit", "", "there"]),
    ("a block on one line", ['"""Hi"""'], ["desk: Hello nobody: Hi"]),
    ("a block that the input ends", ['"""Hi', "there"], ["desk: Hello nobody: Hi", "there"]),
    ("blank lines", ["", "  ", "Hi"], ["desk: Hello nobody: Hi"]),
    ("a path is no command", ["/usr/bin is full"], ["desk: Hello nobody: /usr/bin is full"]),
    ("two slashes stand for one", ["//quit"], ["desk: Hello nobody: /quit"]),
    ("what a terminal would obey", ["\x1b[2J\u202e"], ["desk: Hello nobody: \\x1b[2J\\u202e"]),
    ("nothing after the end", ["/quit", "Hi"], []),
]


@pytest.mark.parametrize(("lines", "out"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES])
def test_messages(chat: Chat, lines: list[str], out: list[str]) -> None:
    assert chat(*lines) == (0, out, "")


def test_a_hand_over_and_who_answers_next(chat: Chat) -> None:
    _, out, _ = chat("A room", "/agents")
    assert out == [
        "  desk hands over to rooms",
        "rooms: Which room?",
        "  desk · LlmAgent",
        "    rooms · LlmAgent: Books rooms. ← answers next",
    ]


def test_state_is_shown_and_set_with_the_next_message(chat: Chat) -> None:
    _, out, err = chat("/state guest=Ann", "Hi", "/state", "/state temp:x=1", "/state guest")
    assert out == ['  guest = "Ann" (set with your next message)', "desk: Hello Ann: Hi", '  guest = "Ann"']
    assert err.splitlines() == [
        "error: `temp:x` can't be set: `temp:` state belongs to one agent's context",
        "error: /state takes KEY=VALUE, not `guest`",
    ]


def test_events_are_shown_as_sessions_show_does(chat: Chat) -> None:
    _, out, err = chat("/events", "Hi", "/events", "/events 1", "/events x")
    assert out[0] == "  nothing is stored yet"
    assert out[2:] == ["  you: Hi", "  desk: Hello nobody: Hi", "  desk: Hello nobody: Hi"]
    assert err == "error: /events takes a number of events, not `x`"


def test_the_request_of_the_last_call_and_of_the_next(chat: Chat) -> None:
    _, out, _ = chat("/request", "Hi", "/request")
    assert out[0] == "  nothing was sent yet; `/request next` shows what the next model call would get"
    assert out[2] == "desk → a rehearsal, which sends nothing"
    assert json.loads("\n".join(out[3:]))["dynamic_system_instruction"] == "For nobody."
    _, out, _ = chat("/state guest=Bo", "/request next Hello there")
    request = json.loads("\n".join(out[2:]))
    assert request["dynamic_system_instruction"] == "For Bo."
    assert request["messages"][0]["parts"] == [{"text": "Hello there"}]


def test_tokens_are_counted_as_the_command_does(chat: Chat) -> None:
    _, out, _ = chat("/tokens Hi")
    assert out[0].startswith("desk · no model") and any(line.startswith("  message 1 (user)") for line in out)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("/evnts", "error: there is no command `/evnts`; did you mean `/events`?"),
        ("/zzzzz", "error: there is no command `/zzzzz`; `/help` lists them"),
        ("/request last", "error: /request takes nothing or `next`, not `last`"),
    ],
)
def test_a_command_that_is_none(chat: Chat, line: str, error: str) -> None:
    status, _, err = chat(line)
    assert status == 0 and err.startswith(error)


def test_help_names_every_command(chat: Chat) -> None:
    from rolebook_cli.running.commands import COMMANDS

    shown = "\n".join(chat("/help")[1])
    assert all(f"/{name}" in shown for name in COMMANDS)


def test_what_a_tool_prints_is_no_part_of_the_output(desk: Path) -> None:
    command = [sys.executable, "-m", "rolebook_cli", "run", str(desk), "--json"]
    done = subprocess.run(command, input="A room\nbook it\nHi\n", capture_output=True, text=True, check=True)
    signals = [json.loads(line) for line in done.stdout.splitlines()]
    assert [signal["response"] for signal in signals if signal["type"] == "tool_finished"] == ["room 7"]
    assert sum(signal["type"] == "turn_finished" for signal in signals) == 3  # no process took the third line
    for noise in ("noise of the tool\n", "noise of a thread\n", "noise of a process \n"):
        assert noise in done.stderr


def test_a_line_of_json_input_is_the_message_as_it_stands(chat: Chat) -> None:
    _, out, _ = chat("/quit", '"""x\\', options=("--json",))
    said = [json.loads(line).get("text") for line in out if '"turn_finished"' in line]
    assert said == ["Hello nobody: /quit", 'Hello nobody: """x\\']


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_one_line(desk: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "rolebook_cli", "run", str(desk), "Hi", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "rolebook: the output can't be used: No space left on device\n")


def test_a_tree_with_errors_leaves_a_recording_as_it_was(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = desk / "r.jsonl"
    recording.write_text("mine", encoding="utf-8")
    (desk / "root_agent.yaml").write_text("name: desk\nmodl: x\n", encoding="utf-8")
    assert main(["run", str(desk), "--record", str(recording), "Hi"]) == 1
    assert capsys.readouterr().err.endswith("rolebook: a tree with errors isn't run\n")
    assert recording.read_text(encoding="utf-8") == "mine"


def test_a_recording_is_replayed_from_the_command_line(
    chat: Chat, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = desk / "r.jsonl"
    assert chat("Hi", options=("--record", str(recording)))[0] == 0
    assert recording.read_text(encoding="utf-8") == '{"rolebook":"traffic","version":1}\n'
    exchange = {
        "request": {"method": "POST", "path": "chat/completions", "body": {}},
        "response": {"status": 200, "headers": {}, "lines": []},
    }
    with recording.open("a", encoding="utf-8") as file:
        file.write(json.dumps(exchange) + "\n")
    assert main(["run", str(desk), "Hi", "--model", "gpt-4o", "--replay", str(recording)]) == 1
    err = capsys.readouterr().err
    assert "request 1 differs from the recording" in err and "1 of the recorded requests wasn't made" in err
    assert main(["run", str(desk), "Hi", "--replay", str(desk / "tools.py")]) == 2
    assert main(["run", str(desk), "Hi", "--replay", "x", "--record", "y"]) == 2
