"""A client that forgives nothing: over stdio, with messages as plain JSON, and a ledger of what is owed.

A reply to nothing, a second reply, a result and an error at once, or a request without a reply at the end is a failure.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SERVER = [sys.executable, "-m", "rolebook_cli", "lsp", "--stdio"]
PATIENCE = 120.0
"""Seconds after which a reply that hasn't come never will."""


class StrictClient:
    """Speaks to a server's standard input and output; `log` is what it wrote to standard error."""

    def __init__(self, command: list[str] = SERVER) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.notifications: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.unasked: list[dict[str, Any]] = []
        self.log = ""
        self._inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._owed: dict[Any, str] = {}
        self._replies: dict[Any, dict[str, Any]] = {}
        self._number = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_log)]
        for thread in self._threads:
            thread.start()

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any = None, id: Any = None) -> Any:
        """Sends a request and gives its id."""
        if id is None:
            self._number += 1
            id = self._number
        self._owed[id] = method
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def reply(self, id: Any) -> dict[str, Any]:
        """The reply to a request, waited for."""
        while id not in self._replies:
            self._take(self._next())
        return self._replies.pop(id)

    def request(self, method: str, params: Any = None) -> Any:
        """The result of a request; an error is a failure."""
        reply = self.reply(self.ask(method, params))
        assert "error" not in reply, reply
        return reply["result"]

    def error(self, method: str, params: Any = None) -> int:
        """The code of the error that a request is answered with."""
        reply = self.reply(self.ask(method, params))
        assert "error" in reply, reply
        code = reply["error"]["code"]
        assert isinstance(code, int) and reply["error"]["message"]
        return code

    def unasked_error(self) -> int:
        """The code of an error that answers no request of ours."""
        while not self.unasked:
            self._take(self._next())
        return int(self.unasked.pop(0)["error"]["code"])

    def notification(self, method: str, **fields: Any) -> dict[str, Any]:
        """The params of the next notification of that method whose params have these values."""
        at = 0
        while True:
            while at < len(self.notifications):
                found = self.notifications[at]
                at += 1
                if found["method"] == method and all(found["params"].get(k) == v for k, v in fields.items()):
                    del self.notifications[:at]
                    return dict(found["params"])
            self._take(self._next())

    def initialize(self, **params: Any) -> dict[str, Any]:
        result = self.request("initialize", {"processId": os.getpid(), "capabilities": {}, **params})
        self.notify("initialized", {})
        return dict(result)

    def exit(self) -> int:
        """Shuts the server down, sees that nothing is owed, and gives its exit status."""
        assert self.request("shutdown") is None
        self.notify("exit")
        status = self.process.wait(PATIENCE)
        self._settle()
        return status

    def _settle(self) -> None:
        while (message := self._next()) is not None:
            self._take(message)
        assert not self._owed, f"no reply to {self._owed}"
        assert not self.unasked, self.unasked
        assert "Traceback" not in self.log, self.log

    def _take(self, message: dict[str, Any] | None) -> None:
        assert message is not None, f"the server is gone: {self.log}"
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            (self.requests if "id" in message else self.notifications).append(message)
            if "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            return
        assert ("result" in message) != ("error" in message), message
        if message["id"] is None:
            self.unasked.append(message)
            return
        assert message["id"] in self._owed, f"a reply that nobody waits for: {message}"
        del self._owed[message["id"]]
        self._replies[message["id"]] = message

    def _next(self) -> dict[str, Any] | None:
        try:
            return self._inbox.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"the server is silent; owed: {self._owed}; its log: {self.log}") from None

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        buffered = stream if hasattr(stream, "peek") else os.fdopen(os.dup(stream.fileno()), "rb")
        with buffered:
            while header := buffered.readline():
                length = int(header.partition(b":")[2])
                assert buffered.readline() == b"\r\n"
                self._inbox.put(json.loads(buffered.read(length)))
        self._inbox.put(None)

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in iter(self.process.stderr.readline, b""):
            self.log += line.decode("utf-8", "replace")


@contextmanager
def strict_client(command: list[str] = SERVER) -> Iterator[StrictClient]:
    """A client whose server is gone at the end, by its own doing or by ours."""
    client = StrictClient(command)
    try:
        yield client
    finally:
        if client.process.poll() is None:
            client.process.kill()
        client.process.wait()
        for stream in (client.process.stdin, client.process.stderr, client.process.stdout):
            if stream is not None:
                stream.close()
