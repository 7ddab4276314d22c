"""The chat in a terminal: prompts, colours, editing, pasted lines, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import codecs
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

pty = pytest.importorskip("pty")

DEFINITION = """
name: desk
rehearsal:
  - {on: room, transfer: rooms}
  - say: "Got {input}."
sub_agents:
  - name: rooms
    tools: [{name: tools.wait}]
    rehearsal: [{on: wait, call: {wait: {}}}, {on: hold, call: {hold: {}}}, {say: "Room {input}."}]
"""
TOOLS = '''
import time

def wait() -> str:
    """Waits."""
    time.sleep(600)
'''


class Terminal:
    """A chat whose three streams are one terminal. What it printed so far is in `seen`."""

    started: ClassVar[list[subprocess.Popen[bytes]]] = []

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self._here, there = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "XDG_DATA_HOME": str(folder / "data"), **variables}
        command = [sys.executable, "-m", "rolebook_cli", "run", str(folder), *options]
        self.process = subprocess.Popen(
            command, stdin=there, stdout=there, stderr=there, env=environment, start_new_session=True
        )
        os.close(there)
        self.started.append(self.process)
        self.seen = ""
        self._interrupted = False
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def until(self, text: str) -> str:
        """What was printed up to `text`, without what only moves the cursor."""
        while text not in self.seen:
            assert self._waited(), f"nothing more after {self.seen!r}"
            came = self._read()
            assert came, f"it ended after {self.seen!r}"
            self.seen = re.sub(r"\x1b\[\?[\d]+[hl]|\r", "", self.seen + came)
        before, _, self.seen = self.seen.partition(text)
        self._interrupted = False
        return before

    def type(self, text: str) -> None:
        os.write(self._here, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C, as the terminal sends it to the process in front."""
        self._interrupted = True
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        try:
            while self._waited() and self._read():
                pass
        finally:
            os.close(self._here)
        return self.process.wait(60)

    def _waited(self) -> bool:
        """Whether there is something to read. A signal that comes just before Python's readline begins to wait isn't
        noticed until the line is entered, or until another comes, so after a long silence it is sent once more."""
        for _ in range(6):
            if select.select([self._here], [], [], 10)[0]:
                return True
            if self._interrupted and self.process.poll() is None:
                self.process.send_signal(signal.SIGINT)
        return False

    def _read(self) -> str:
        try:
            return self._decoder.decode(os.read(self._here, 65536)) or "\r"  # a piece of a character alone
        except OSError:  # nobody has the other end open any more
            return ""


@pytest.fixture(autouse=True)
def _nobody_is_left() -> Iterator[None]:
    yield
    while Terminal.started:
        process = Terminal.started.pop()
        process.kill()
        process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "root_agent.yaml").write_text(DEFINITION, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "rolebook.toml").write_text("", encoding="utf-8")
    yield tmp_path


def test_a_chat(folder: Path) -> None:
    terminal = Terminal(folder, NO_COLOR="1")
    terminal.until("you: ")
    terminal.type("Hi\n")
    assert "desk: Got Hi.\n" in terminal.until("you: ")
    terminal.type("a room\n")
    assert "  desk hands over to rooms\nrooms: Room a room.\n" in terminal.until("you → rooms: ")
    terminal.type("one \\\n")
    terminal.until("… ")
    terminal.type("two\n")
    assert "rooms: Room one \ntwo.\n" in terminal.until("you → rooms: ")
    terminal.type("\x04")
    assert terminal.end() == 0
    history = (folder / "data" / "rolebook" / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in history] == ["Hi", "a room", "one \ntwo"]


def test_a_message_of_an_earlier_chat_comes_back(folder: Path) -> None:
    for typed in ("first one\n", "\x1b[A\x1b[A\n"):
        terminal = Terminal(folder, NO_COLOR="1")
        terminal.until("you: ")
        terminal.type(typed)
        assert "desk: Got first one.\n" in terminal.until("you: ")
        terminal.type("/quit\n")
        assert terminal.end() == 0


@pytest.mark.parametrize("paste", ["one\ntwo\nthree", "\x1b[200~one\ntwo\nthree\x1b[201~"])
def test_pasted_lines_are_one_message(folder: Path, paste: str) -> None:
    terminal = Terminal(folder, NO_COLOR="1")
    terminal.until("you: ")
    terminal.type(paste)
    terminal.until("three")
    terminal.type("\n")
    assert "desk: Got one\ntwo\nthree.\n" in terminal.until("you: ")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_colours_are_for_terminals_that_have_them(folder: Path) -> None:
    terminal = Terminal(folder)
    terminal.until("you: ")
    terminal.type("a room\n")
    assert "desk \x1b[35mhands over to\x1b[0m rooms\n\x1b[32;1mrooms:\x1b[0m" in terminal.until("you → ")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_an_interrupt_stops_the_turn_and_not_the_chat(folder: Path) -> None:
    terminal = Terminal(folder, "--session", "s", "--store", str(folder / "s.db"), NO_COLOR="1")
    terminal.until("you: ")
    terminal.type("a room\n")
    terminal.until("you → rooms: ")
    terminal.type("wait\n")
    terminal.until("rooms calls wait {}\n")
    terminal.interrupt()
    stopped = terminal.until("you → rooms: ")
    assert "stopped: your message and 1 more event stay in the session\n" in stopped
    terminal.type("Hi\n")
    assert "rooms: Room Hi.\n" in terminal.until("you → rooms: ")
    terminal.type("/events\n")
    assert "rooms calls wait {} (interrupted)" in terminal.until("you → rooms: ")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_an_interrupt_after_the_one_that_stopped_a_turn_ends_the_chat(folder: Path) -> None:
    terminal = Terminal(folder, "--session", "s", "--store", str(folder / "s.db"), NO_COLOR="1")
    terminal.until("you: ")
    terminal.type("a room\n")
    terminal.until("you → rooms: ")
    terminal.type("wait\n")
    terminal.until("rooms calls wait {}\n")
    terminal.interrupt()
    terminal.until("you → rooms: ")
    terminal.interrupt()
    assert terminal.end() == 0


def test_two_interrupts_at_the_prompt_end_the_chat(folder: Path) -> None:
    terminal = Terminal(folder, NO_COLOR="1")
    terminal.until("you: ")
    terminal.type("not sent")
    terminal.until("not sent")
    terminal.interrupt()
    terminal.until("Ctrl-C once more ends the chat")
    terminal.until("you: ")
    terminal.interrupt()
    assert terminal.end() == 0
