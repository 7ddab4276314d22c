"""llama.cpp's server for one file in a child process: started, watched and ended with certainty."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Any

from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.local.files import Gguf

LOAD_SECONDS = 600.0
"""A large file from a slow disk takes minutes."""

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve.py")
_KEPT = 16_000  # bytes of what the child says last
_MEMORY = re.compile(r"insufficient memory|allocate|bad_alloc|out of memory|mem_buffer != NULL", re.IGNORECASE)
_LOADING = re.compile(r"error loading model: (?:llama_model_loader: )?(.+)")
_ERROR = re.compile(r"^[\d.]+ E (?:\w+ +)?(?:\S+: )?(.+)", re.MULTILINE)


class Child:
    """A server that answers at `url` to whoever has the `key`. Nobody else on this machine has it."""

    def __init__(self, file: Gguf, process: Process) -> None:
        self.file = file
        self.key = Secret(secrets.token_hex(16))
        self.url = ""
        self._process = process
        self._said = bytearray()
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, file: Gguf) -> Child:
        """The server with its model loaded. Raises RunError, with one line on why, where there is none."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", _SCRIPT), stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_variables(), **_apart()
            )
        except OSError as error:
            raise RunError(f"the model `{file.model}`: no process can be started: {error.strerror}") from None
        child = cls(file, process)
        try:
            async with asyncio.timeout(LOAD_SECONDS):
                await child._load()
        except TimeoutError:
            await child.end()
            raise RunError(f"the model `{file.model}` wasn't loaded within {LOAD_SECONDS:g} s") from None
        except BaseException:
            await child.end()
            raise
        return child

    @property
    def ended(self) -> bool:
        return self._process.returncode is not None

    async def why_ended(self, seconds: float) -> str | None:
        """Why the process ended, None where it still runs after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._process.wait()
                await asyncio.shield(self._listening)
        except TimeoutError:
            if not self.ended:
                return None
        return self._reason()

    def kill(self) -> None:
        """Ends the process at once; it has nothing to keep."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        self.kill()
        await self._process.wait()
        await self._listening
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _load(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        given = {
            "path": self.file.path,
            "key": self.key.reveal(),
            "context": self.file.context,
            "threads": self.file.threads,
            "gpu_layers": self.file.gpu_layers,
            "template": self.file.template,
        }
        with suppress(ConnectionError):
            self._process.stdin.write(json.dumps(given).encode() + b"\n")
            await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line:
            await self._process.wait()
            await self._listening
            raise RunError(f"the model `{self.file.model}` can't be run: {self._reason()}")
        self.url = f"{json.loads(line)['url']}/v1"

    async def _listen(self) -> None:
        """Takes what the child says, so that it never waits for us, and keeps the end of it."""
        assert self._process.stderr is not None
        while said := await self._process.stderr.read(4096):
            self._said += said
            del self._said[:-_KEPT]

    def _reason(self) -> str:
        said = self._said.decode("utf-8", "replace")
        if _MEMORY.search(said):
            context = f" with a context of {self.file.context} tokens" if self.file.context else ""
            return f"there isn't enough memory for it{context}; LLAMA_ARG_CTX_SIZE sets a smaller one"
        code = self._process.returncode or 0
        if code == -getattr(signal, "SIGKILL", 9):
            return "llama.cpp was killed, which systems do when memory runs out"
        if code < 0:
            return f"llama.cpp crashed ({_signal(-code)})"
        told = _LOADING.search(said) or _ERROR.search(said)
        return self.key.censor(" ".join(told[1].split())[:300]) if told else f"llama.cpp ended with the status {code}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _variables() -> dict[str, str]:
    """The environment, without the debugger that llama.cpp would call when it aborts."""
    return {**os.environ, "GGML_NO_BACKTRACE": "1"}


def _apart() -> dict[str, Any]:
    """A group of its own, since Ctrl-C is meant for the turn and not for the model."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}
