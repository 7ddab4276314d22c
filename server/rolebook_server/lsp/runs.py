"""Runs of agents, each in a child process that speaks the protocol of docs/run-protocol.md.

The server never loads the runner, nor anyone's code. A child that hangs or dies takes nothing along; stopping one is
asking it, and where that doesn't help, killing it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from rolebook_server.lsp.loop import Loop

Told = Callable[[dict[str, Any]], None]

_GRACE = 3.0
"""Seconds that a child has to end by itself once it was asked to."""


class Run:
    """One child process. `told` gets each of its messages on the loop's thread, and at last `{"type": "ended", …}`."""

    def __init__(self, loop: Loop, id: str, path: str, session: str | None, told: Told) -> None:
        self.id = id
        self.path = path
        self.state = "starting"
        self._loop = loop
        self._told = told
        self._number = 0
        self._last = ""
        command = [sys.executable, "-m", "rolebook_cli", "run", path, "--protocol"]
        command += ["--session", session] if session is not None else []
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.path.dirname(path) or None,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    @property
    def is_over(self) -> bool:
        return self.state in ("stopped", "failed", "ended")

    def command(self, name: str, **fields: Any) -> int:
        """Sends a command and gives its id. A child that is gone gets nothing."""
        self._number += 1
        line = json.dumps({"id": self._number, "command": name, **fields}) + "\n"
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            pass  # its end will be told by the reader
        return self._number

    def end(self) -> None:
        """Asks the child to end, and kills it where it doesn't."""
        if self._process.poll() is not None:
            return
        self.command("quit")
        self._loop.later(_GRACE, self.kill)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._loop.post(lambda message=message: self._take(message))  # type: ignore[misc]
        status = self._process.wait()
        self._threads[1].join(1.0)
        self._loop.post(lambda: self._take({"type": "ended", "status": status, "log": self._last}))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._last = (self._last + line.decode("utf-8", "replace"))[-4000:]

    def _take(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "state":
            self.state = str(message.get("state"))
        elif kind == "ended":
            self.state = "ended"
        self._told(message)
