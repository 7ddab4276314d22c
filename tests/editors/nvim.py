"""Drives a real Neovim from outside: it runs headless in a home of its own and evaluates Lua over its socket."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).parents[2] / "editors" / "neovim"
DEADLINE = 20.0  # seconds
PAUSE = 0.02


@dataclass(frozen=True)
class Neovim:
    binary: str
    socket: Path
    log: Path

    def lua(self, body: str) -> Any:
        """What this Lua function body returns. An error in it is raised here."""
        expression = "luaeval('vim.json.encode((function() {} end)() or vim.NIL)')".format(body.replace("'", "''"))
        answer = subprocess.run(
            [self.binary, "--server", self.socket, "--remote-expr", expression],
            capture_output=True, text=True, timeout=DEADLINE, check=False,
        )  # fmt: skip
        if answer.returncode != 0:
            raise RuntimeError(f"Neovim could not evaluate `{body}`: {answer.stderr.strip()}")
        return json.loads(answer.stdout)

    def wait(self, body: str, holds: Callable[[Any], Any]) -> Any:
        """The first value of this Lua function body for which `holds` does; failing that, what Neovim can tell."""
        end = time.monotonic() + DEADLINE
        while not holds(value := self.lua(body)):
            if time.monotonic() > end:
                messages = self.lua("return vim.fn.execute('messages')")
                log = self.log.read_text(errors="replace")[-4000:] if self.log.exists() else "(none)"
                raise AssertionError(f"Still {value!r} after {DEADLINE:.0f} s.\nMessages: {messages}\nLSP log: {log}")
            time.sleep(PAUSE)
        return value


@contextmanager
def neovim(binary: str, home: Path, init: str, file: Path) -> Iterator[Neovim]:
    """A Neovim with the client installed as a package, as the README says, and with `init` as its init.lua."""
    config, package = home / "config" / "nvim", home / "data" / "nvim" / "site" / "pack" / "rolebook" / "start"
    for folder in (config, package):
        folder.mkdir(parents=True)
    (config / "init.lua").write_text(init)
    (package / "rolebook").symlink_to(CLIENT)
    environment = {
        **os.environ,
        **{f"XDG_{kind.upper()}_HOME": str(home / kind) for kind in ("config", "data", "state", "cache")},
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]),
        "NVIM_APPNAME": "nvim",
        "HOME": str(home),
    }
    # A socket's path must be short, which pytest's folders aren't.
    with tempfile.TemporaryDirectory(prefix="nvim") as short:
        socket = Path(short) / "socket"
        command = [binary, "--headless", "-n", "--listen", socket, file]
        process = subprocess.Popen(
            command, env=environment, cwd=file.parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            end = time.monotonic() + DEADLINE
            while not socket.exists():
                assert process.poll() is None, f"Neovim ended with {process.returncode}"
                assert time.monotonic() < end, "Neovim never listened"
                time.sleep(PAUSE)
            yield Neovim(binary, socket, home / "state" / "nvim" / "lsp.log")
        finally:
            process.terminate()
            process.wait(DEADLINE)
