"""JSON lines to and from another process, by threads, so that neither a slow reader nor silence stops anything."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections import deque
from typing import Any, TextIO

MOST_CHARS = 10_000_000
"""Code points of a line that is read; a longer one is passed over."""

_MOST_WAITING = 256
"""Lines that wait for the other side before whoever writes has to wait."""


class TooLong:
    """Stands for a line that was passed over."""


class LineReader:
    """The lines of a stream; `next` gives None at its end. They are read as they are asked for, one in advance."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | TooLong | None] = asyncio.Queue(1)
        threading.Thread(target=self._read, name="rolebook-commands", daemon=True).start()

    async def next(self) -> str | TooLong | None:
        return await self._lines.get()

    def _read(self) -> None:
        line: str | TooLong | None = ""
        while line is not None:
            line = self._line()
            try:
                asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()
            except (RuntimeError, asyncio.CancelledError):  # the loop is closed
                return

    def _line(self) -> str | TooLong | None:
        try:
            line = self._stream.readline(MOST_CHARS)
            if len(line) < MOST_CHARS or line.endswith("\n"):
                return line or None
            while line and not line.endswith("\n"):
                line = self._stream.readline(MOST_CHARS)
            return TooLong()
        except (OSError, ValueError):
            return None


class LineWriter:
    """Writes JSON values to a stream, one a line, in the order in which they are given.

    `gone` is set when the other side is. What is written after that is dropped.
    """

    def __init__(self, stream: TextIO) -> None:
        self.gone = asyncio.Event()
        self._number = stream.fileno()
        self._loop = asyncio.get_running_loop()
        self._lines: deque[bytes | None] = deque()
        self._wake = threading.Semaphore(0)
        self._room = asyncio.Semaphore(_MOST_WAITING)
        self._written = asyncio.Event()
        threading.Thread(target=self._write, name="rolebook-messages", daemon=True).start()

    async def send(self, message: dict[str, Any]) -> None:
        """Waits where the other side is slow to read."""
        if self.gone.is_set():
            return
        await self._room.acquire()
        self._put(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace"))

    def hurry(self) -> None:
        """From now on, nobody waits for the other side to read."""
        for _ in range(_MOST_WAITING):
            self._room.release()

    async def close(self, seconds: float) -> None:
        """Waits until all is written, no longer than these seconds."""
        self._put(None)
        try:
            async with asyncio.timeout(seconds):
                await self._written.wait()
        except TimeoutError:
            pass

    def _put(self, line: bytes | None) -> None:
        self._lines.append(line)
        self._wake.release()

    def _write(self) -> None:
        while True:
            self._wake.acquire()
            line = self._lines.popleft()
            if line is None:
                break
            try:
                _write_all(self._number, line + b"\n")
            except OSError:
                self._tell(self._has_gone)
                break
            self._tell(self._room.release)
        self._tell(self._written.set)

    def _has_gone(self) -> None:
        self.gone.set()
        self.hurry()

    def _tell(self, what: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:  # the loop is closed
            return


def _write_all(number: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(number, view) :]
