"""A person at a terminal: editing and history where Python has readline, and pasted lines that stay together."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from types import ModuleType

from rolebook_cli.output import paint
from rolebook_cli.running.reading import read_message

_HISTORY = "history.jsonl"
_MOST_REMEMBERED = 1000
_PASTE_SECONDS = 0.02
"""Within that time the rest of a paste has arrived."""


class Terminal:
    """Asks for messages. The history is kept in `folder`, one JSON text a line; None keeps none."""

    def __init__(self, folder: str | None) -> None:
        self._readline = _readline()
        self._path = os.path.join(folder, _HISTORY) if folder is not None else None
        self._prompt = ""
        if self._readline is not None:
            for entry in self._remembered():
                self._readline.add_history(entry)

    def ask(self, prompt: str) -> str | None:
        """The next message, None at the end of the input. Raises KeyboardInterrupt for Ctrl-C."""
        self._prompt = prompt
        message = read_message(self._line)
        if message is not None and message.strip():
            self._remember(message)
        return message

    def _line(self, goes_on: bool) -> str | None:
        try:
            lines = [input(self._marked(f"{'…':>{len(self._prompt)}} " if goes_on else f"{self._prompt}: "))]
            while not lines[0].startswith("/") and _more_waits():
                lines.append(input(self._marked(f"{'…':>{len(self._prompt)}} ")))
        except EOFError:
            return None
        return "\n".join(lines)

    def _marked(self, prompt: str) -> str:
        """The prompt in bold; readline is told which characters take no room."""
        painted = paint(prompt, "bold")
        if self._readline is None or painted == prompt:
            return painted
        before, after = painted.split(prompt)
        return f"\x01{before}\x02{prompt}\x01{after}\x02"

    def _remembered(self) -> list[str]:
        if self._path is None:
            return []
        try:
            with open(self._path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except (OSError, UnicodeDecodeError):
            return []
        entries = []
        for line in lines[-_MOST_REMEMBERED:]:
            with suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, str) and "\0" not in entry:
                    entries.append(entry)
        if len(lines) > 2 * _MOST_REMEMBERED:
            self._write("w", entries)
        return entries

    def _remember(self, message: str) -> None:
        if self._readline is None:
            return
        last = self._readline.get_current_history_length()
        if "\0" in message or (last and self._readline.get_history_item(last) == message):
            return
        self._readline.add_history(message)
        self._write("a", [message])

    def _write(self, mode: str, entries: list[str]) -> None:
        """A history that can't be kept is no reason to stop a chat."""
        if self._path is None:
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if mode == "a" else os.O_TRUNC)
            with open(os.open(self._path, flags, 0o600), mode, encoding="utf-8") as file:
                file.writelines(f"{json.dumps(entry)}\n" for entry in entries)


def _readline() -> ModuleType | None:
    if os.environ.get("TERM") == "dumb":
        return None
    try:
        import readline
    except ImportError:  # Windows, whose console edits lines and remembers them by itself
        return None
    readline.set_auto_history(False)
    return readline


def _more_waits() -> bool:
    """Whether more was typed or pasted already, even without an end of line. A terminal that can't tell has no more."""
    try:
        import select
        import termios
    except ImportError:
        return False
    number = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(number)
        looking = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
        termios.tcsetattr(number, termios.TCSANOW, looking)
        try:
            return bool(select.select([number], [], [], _PASTE_SECONDS)[0])
        finally:
            termios.tcsetattr(number, termios.TCSANOW, before)
    except (termios.error, OSError):
        return False
