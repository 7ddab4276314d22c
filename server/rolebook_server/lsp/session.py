"""One session with a client: its lifecycle, and exactly one reply to each of its requests.

A request waits in `_waiting` from the moment it is read until its reply is written, and whatever writes a reply takes
it out of there, so that a second one can't be. Who forgets a request is found by the tests' client, which fails on any
that is left.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeGuard

from rolebook_server.lsp import errors
from rolebook_server.lsp.errors import ReplyError
from rolebook_server.lsp.frames import Broken, framed
from rolebook_server.lsp.loop import Loop
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.table import METHODS, Lane

logger = logging.getLogger("rolebook.lsp")

PARENT_SECONDS = 5.0
"""How often it is looked whether the client's process is still there."""

_Id = str | int


class _Waiting:
    """A request without a reply yet; `steps` is its work in the background, once that has begun."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.steps: Generator[float | None, None, Any] | None = None


class Session:
    """Reads messages, hands them to the methods of the table, and writes replies. `write` sends bytes to the client."""

    def __init__(self, loop: Loop, write: Callable[[bytes], None]) -> None:
        self._loop = loop
        self._write = write
        self._waiting: dict[_Id, _Waiting] = {}
        self._cancelled: set[_Id] = set()
        self._state = "new"
        self.server = Server(loop, self._send)
        self.exit_status = 1
        """1 where the client says `exit` without `shutdown` before, or is gone (LSP)."""

    def received(self, body: bytes | Broken) -> None:
        """Takes what the reader thread cut out of the input; may be called there. A cancellation counts at once."""
        message = self._parsed(body)
        if isinstance(message, Mapping) and message.get("method") == "$/cancelRequest":
            params = message.get("params")
            id = params.get("id") if isinstance(params, Mapping) else None
            if _is_id(id):
                self._cancelled.add(id)
                self._loop.post(lambda: self._cancel(id))
            return
        self._loop.post(lambda: self._take(message))

    def ended(self) -> None:
        """The input has ended: there is no client any more."""
        self._loop.post(self._loop.stop)

    def _parsed(self, body: bytes | Broken) -> Any:
        if isinstance(body, Broken):
            return ReplyError(errors.PARSE_ERROR, f"the message can't be read: {body.reason}")
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return ReplyError(errors.PARSE_ERROR, "the message is no JSON")

    def _take(self, message: Any) -> None:
        if isinstance(message, ReplyError):
            self._send({"id": None, "error": message.to_json()})
        elif not isinstance(message, Mapping):
            self._send({"id": None, "error": ReplyError(errors.INVALID_REQUEST, "a message is an object").to_json()})
        elif isinstance(method := message.get("method"), str):
            if "id" in message:
                self._request(message["id"], method, message.get("params"))
            else:
                self._notification(method, message.get("params"))
        elif "id" in message and ("result" in message or "error" in message):
            self.server.answered(message["id"], message.get("result"), message.get("error"))
        else:
            error = ReplyError(errors.INVALID_REQUEST, "a message has a method, or it answers a request")
            id = message.get("id")
            self._send({"id": id if _is_id(id) else None, "error": error.to_json()})

    # Requests

    def _request(self, id: Any, method: str, params: Any) -> None:
        if not _is_id(id):
            error = ReplyError(errors.INVALID_REQUEST, "the id of a request is a string or an integer")
            self._send({"id": None, "error": error.to_json()})
            return
        if id in self._waiting:
            error = ReplyError(errors.INVALID_REQUEST, f"the request {id} is being answered already")
            self._send({"id": id, "error": error.to_json()})
            return
        self._waiting[id] = _Waiting(method)
        cancelled = id in self._cancelled
        self._cancelled.discard(id)
        if cancelled and method not in ("initialize", "shutdown"):  # without these there is no session to go on with
            self._refuse(id, ReplyError(errors.REQUEST_CANCELLED, "the request was cancelled before it began"))
            return
        try:
            self._run(id, method, params)
        except Exception as error:
            self._refuse(id, self._told(method, error))

    def _run(self, id: _Id, method: str, params: Any) -> None:
        self._admit(method)
        if method == "initialize":
            self._state = "running"
            self._reply(id, self.server.initialize(Params(params)))
            self._watch_parent()
            return
        if method == "shutdown":
            self._state = "shut down"
            self.server.shutdown()
            self._reply(id, None)
            return
        row = METHODS.get(method)
        if row is None or row.lane is Lane.NOTIFICATION:
            raise ReplyError(errors.METHOD_NOT_FOUND, f"there is no method `{method}`")
        result = row.call(self.server, Params({} if params is None else params))
        if isinstance(result, Generator):
            self._waiting[id].steps = result
            self._loop.background(self._finish(id, method, result))
        else:
            self._reply(id, result)

    def _finish(
        self, id: _Id, method: str, steps: Generator[float | None, None, Any]
    ) -> Generator[float | None, None, None]:
        """The steps of a request in the background, and then its reply."""
        try:
            result = yield from steps
        except Exception as error:
            if id in self._waiting:
                self._refuse(id, self._told(method, error))
            return
        if id in self._waiting:
            self._reply(id, result)

    def _cancel(self, id: _Id) -> None:
        self._cancelled.discard(id)
        waiting = self._waiting.get(id)
        if waiting is not None and waiting.steps is not None:
            waiting.steps.close()
            self._refuse(id, ReplyError(errors.REQUEST_CANCELLED, "the request was cancelled"))

    def _admit(self, method: str) -> None:
        """Raises ReplyError for a request that has no place in the lifecycle now."""
        if self._state == "new" and method != "initialize":
            raise ReplyError(errors.NOT_INITIALIZED, "the server isn't initialized yet")
        if self._state != "new" and method == "initialize":
            raise ReplyError(errors.INVALID_REQUEST, "the server is initialized already")
        if self._state == "shut down":
            raise ReplyError(errors.INVALID_REQUEST, "the server is shut down")

    def _told(self, method: str, error: Exception) -> ReplyError:
        """The error in one sentence. What is a fault of ours is logged with its traceback, and the session goes on."""
        if isinstance(error, ReplyError):
            return error
        logger.error("%s failed", method, exc_info=error)
        self.server.faults += 1
        return ReplyError(errors.INTERNAL_ERROR, f"{method} failed; the server's log (standard error) says why")

    # Notifications

    def _notification(self, method: str, params: Any) -> None:
        if method == "exit":
            self.exit_status = 0 if self._state == "shut down" else 1
            self._loop.stop()
            return
        if self._state != "running":
            return
        row = METHODS.get(method)
        if row is None:
            return
        try:
            row.call(self.server, Params({} if params is None else params))
        except ReplyError as error:
            logger.warning("%s: %s", method, error.message)
        except Exception as error:
            self._told(method, error)

    # Writing

    def _reply(self, id: _Id, result: Any) -> None:
        del self._waiting[id]
        self._send({"id": id, "result": result})

    def _refuse(self, id: _Id, error: ReplyError) -> None:
        del self._waiting[id]
        self._send({"id": id, "error": error.to_json()})

    def _send(self, message: dict[str, Any]) -> None:
        self._write(framed({"jsonrpc": "2.0", **message}))

    def _watch_parent(self) -> None:
        """Ends the loop once the process that started the client is gone."""
        pid = self.server.client.process_id
        if pid is None or os.name == "nt":
            return

        def look() -> None:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                self._loop.stop()
            except OSError:
                pass  # it is there and another user's
            self._loop.later(PARENT_SECONDS, look)

        self._loop.later(PARENT_SECONDS, look)


def _is_id(value: Any) -> TypeGuard[_Id]:
    return isinstance(value, str | int) and not isinstance(value, bool)
