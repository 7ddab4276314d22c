"""`rolebook run --session`: what goes on from one process to the next, and what is kept where."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rolebook_cli.main import main

DEFINITION = """
name: desk
state: {guest: {default: nobody}, "user:plan": {sample: free}}
instruction: For {guest}.
rehearsal:
  - {on: room, transfer: rooms}
  - say: "Hello {guest} on {user:plan}"
sub_agents:
  - name: rooms
    tools: [{name: tools.book}]
    rehearsal:
      - {on: wait, call: {book: {wait: true}}}
      - {on: book, call: {book: {}}}
      - {on: result, say: "got {result}"}
      - say: "Which room, {input}?"
"""
TOOLS = '''
import sys, time

def book(context, wait: bool = False) -> str:
    """Books a room."""
    context.state["guest"] = "Ann"
    if wait:
        time.sleep(600)
    return "room 7"
'''


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(DEFINITION, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "rolebook.toml").write_text("", encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main(["run", *(str(arg) for arg in args)])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_session_goes_on_with_the_agent_that_spoke_last(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = ("--session", "s", "--store", desk / "s.db")
    status, out, err = run(capsys, desk, "A room please", *store)
    assert (status, out.splitlines()[-1]) == (0, "rooms: Which room, A room please?")
    assert err.startswith("session s is new\n")
    _, out, err = run(capsys, desk, "book it", *store)
    assert out.splitlines()[0].startswith("  rooms calls book")
    assert err.startswith("session s goes on after 4 events\n")
    _, out, _ = run(capsys, desk, "Hi", "--session", "other", "--store", desk / "s.db")
    assert out == "desk: Hello nobody on free\n"


def test_a_store_in_the_configuration_starts_at_its_folder(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "rolebook.toml").write_text('[run]\nstore = "data/s.db"\napp = "hotel"\n', encoding="utf-8")
    assert run(capsys, desk, "Hi")[0] == 0
    assert (desk / "data" / "s.db").is_file()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--store", "postgresql://ann:secret@db/x"], "rolebook: a PostgreSQL store needs the extra `postgres`"),
        (["--session", " "], "rolebook: --session takes an id"),
        (["--store", "{folder}/tools.py/s.db"], "rolebook: the session store"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    desk: Path, capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    status, out, err = run(capsys, desk, "Hi", *(arg.format(folder=desk) for arg in args))
    assert (status, out) == (2, "")
    assert err.startswith(said) and err.count("\n") == 1 and "secret" not in err


def test_a_store_that_breaks_ends_the_turn_with_one_line(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, desk, "Hi", "--store", desk / "tools.py")
    assert status == 1
    assert err.splitlines()[-1] == f"error: the session store {desk}/tools.py can't be used: it is no SQLite database"


def test_samples_of_shared_state_are_seen_and_not_kept(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = ("--session", "s", "--store", desk / "s.db")
    run(capsys, desk, "Hi", *store)
    text = DEFINITION.replace('"user:plan": {sample: free}', '"user:plan": {description: set by the application}')
    (desk / "root_agent.yaml").write_text(text, encoding="utf-8")
    assert run(capsys, desk, "Hi", *store)[1] == "desk: Hello nobody on {user:plan}\n"


def test_a_rehearsal_without_a_session_loads_no_database(desk: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "rolebook_cli", "run", str(desk), "Hi"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "rolebook_runner" in loaded
    assert loaded.isdisjoint({"sqlalchemy", "sqlite3", "platformdirs"})


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_run_killed_in_a_tool_call_goes_on(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = ["--session", "s", "--store", str(desk / "s.db")]
    run(capsys, desk, "A room please", *store)
    command = [sys.executable, "-m", "rolebook_cli", "run", str(desk), "wait", "--json", *store]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if json.loads(line)["type"] == "tool_started":
                running.send_signal(signal.SIGKILL)
                break
    status, out, _ = run(capsys, desk, "my result?", *store)
    assert (status, out) == (0, "rooms: got {result}\n")
