"""Starts the server on standard input and output, a socket or a pipe.

As little as can be is loaded here: the first message is to be answered before the compiler is there.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable

from rolebook_server.lsp.frames import Frames
from rolebook_server.lsp.loop import Loop
from rolebook_server.lsp.session import Session

_PIECE = 1 << 16


def serve_stdio() -> int:
    """Serves until the client says `exit` or is gone. Returns the exit status that LSP wants.

    The descriptors are used directly: a thread that waits in `sys.stdin.buffer` would abort the interpreter at its end.
    What anything prints goes to standard error, where it can't break the protocol.
    """
    output = os.dup(1)
    os.dup2(2, 1)
    return _serve(lambda: os.read(0, _PIECE), lambda data: _write_all(output, data))


def serve_socket(port: int) -> int:
    """Connects to a port on which the client listens, as vscode-languageclient's `--socket` wants it."""
    import socket

    with socket.create_connection(("127.0.0.1", port)) as connection:
        return _serve(lambda: connection.recv(_PIECE), connection.sendall)


def serve_pipe(name: str) -> int:
    """Connects to a Unix socket, or a named pipe on Windows, on which the client listens."""
    if sys.platform == "win32":
        with open(name, "r+b", buffering=0) as pipe:
            return _serve(lambda: pipe.read(_PIECE) or b"", lambda data: _write_all(pipe.fileno(), data))
    import socket

    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(name)
        return _serve(lambda: connection.recv(_PIECE), connection.sendall)


def _serve(read: Callable[[], bytes], write: Callable[[bytes], None]) -> int:
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    loop = Loop()

    def write_or_end(data: bytes) -> None:
        try:
            write(data)
        except OSError:
            loop.stop()  # the client is gone

    session = Session(loop, write_or_end)
    threading.Thread(target=_read, args=(read, session), name="rolebook-input", daemon=True).start()
    try:
        loop.run()
    finally:
        session.server.shutdown()
    return session.exit_status


def _read(read: Callable[[], bytes], session: Session) -> None:
    frames = Frames()
    try:
        while data := read():
            for body in frames.feed(data):
                session.received(body)
    except OSError:
        pass
    session.ended()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
