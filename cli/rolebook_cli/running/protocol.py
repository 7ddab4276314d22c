"""`rolebook run --protocol`: a run that an editor drives by JSON lines, as docs/run-protocol.md describes it.

Standard input gives commands and standard output messages; both are the protocol's alone, whatever the user's code
prints or reads. The end of the input ends the process, so it never outlives the editor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from importlib.metadata import version
from typing import Any, TextIO

from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.events import event_to_json
from rolebook_cli.output import Failure
from rolebook_cli.running.lines import LineReader, LineWriter, TooLong
from rolebook_cli.running.opening import Run, TreeErrors, open_run
from rolebook_cli.running.requests import last_request, next_request
from rolebook_cli.running.streams import own_input, own_output

VERSION = 1

_LAST_WORDS = 2.0
"""Seconds that a process which ends gives the other side to read what is left."""
_PARENT_SECONDS = 1.0


class Refused(Exception):
    """A command that can't be done: `code` is one of those in docs/run-protocol.md, the message a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def serve(args: argparse.Namespace) -> int:
    """Status 0 when it was told to end or its input ended, 1 for a tree with errors, 2 for one that can't be run."""
    with own_output() as out, own_input() as commands, asyncio.Runner() as loop:
        return loop.run(_serve(args, commands, out))


async def _serve(args: argparse.Namespace, commands: TextIO, out: TextIO) -> int:
    parent = os.getppid()  # before anything takes time, in which it may go
    writer = LineWriter(out)
    try:
        await writer.send({"type": "hello", "protocol": VERSION, "rolebook": version("rolebook")})
        await writer.send({"type": "state", "state": "starting"})
        try:
            run = open_run(args)
        except TreeErrors as errors:
            told = [_problem(errors.snapshot, problem) for problem in errors.problems]
            await writer.send({"type": "state", "state": "failed", "message": str(errors), "problems": told})
            return 1
        except Failure as failure:
            await writer.send({"type": "state", "state": "failed", "message": "; ".join(map(str, failure.args))})
            return 2
        try:
            return await _Service(run, writer, parent).serve(commands, args.message)
        finally:
            await run.aclose()
    finally:
        await writer.close(_LAST_WORDS)


class _Service:
    """Carries out commands while a turn runs. There is one turn at a time, since there is one session."""

    def __init__(self, run: Run, writer: LineWriter, parent: int) -> None:
        self._run, self._writer, self._parent = run, writer, parent
        self._turn: asyncio.Task[None] | None = None
        self._ends = asyncio.Event()
        self._handlers: dict[str, Callable[[Any, dict[str, Any]], Awaitable[Any]]] = {
            "turn": self._start,
            "stop": self._stop,
            "request": self._request,
            "state": self._state,
            "events": self._events,
            "quit": self._quit,
        }

    async def serve(self, commands: TextIO, message: str | None) -> int:
        self._listen_to_the_system()
        await self._state_is("waiting", session=self._run.session)
        if message is not None:
            await self._start(None, {"text": message})
        reader = LineReader(commands)
        watchers = [
            asyncio.create_task(work) for work in (self._ends.wait(), self._writer.gone.wait(), _orphaned(self._parent))
        ]
        work = asyncio.create_task(self._answer_all(reader))
        try:
            await asyncio.wait({work, *watchers}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._writer.hurry()
            for task in (work, *watchers):
                task.cancel()
            await self._stop_turn()
        await self._state_is("stopped")
        return 0

    async def _answer_all(self, reader: LineReader) -> None:
        while (line := await reader.next()) is not None:
            await self._answer(line)

    async def _answer(self, line: str | TooLong) -> None:
        """Carries out one line. Whatever it holds, it is answered, and nothing ends but by `quit`."""
        id: Any = None
        try:
            command = _read(line)
            id, name = command["id"], command.get("command")
            if not isinstance(name, str) or name not in self._handlers:
                raise Refused("unknown", f"there is no such command; there are {', '.join(self._handlers)}")
            result = await self._handlers[name](id, command)
        except Refused as refused:
            await self._tell(id, error={"code": refused.code, "message": str(refused)})
        except Exception as error:
            await self._tell(id, error={"code": "fault", "message": f"{type(error).__name__}: {error}"})
        else:
            if result is not None:
                await self._tell(id, result=result)

    async def _start(self, id: Any, command: dict[str, Any]) -> None:
        """The answer comes when the turn is over."""
        text, state = command.get("text"), command.get("state") or {}
        if not isinstance(text, str) or not text.strip():
            raise Refused("invalid", "`turn` takes a `text`, which isn't blank")
        if not isinstance(state, dict):
            raise Refused("invalid", "`state` is an object")
        if self._turn is not None and not self._turn.done():
            raise Refused("busy", "a turn is running; `stop` ends it")
        given, self._run.state = {**self._run.state, **state}, {}
        await self._state_is("running", turn=id)
        self._turn = asyncio.create_task(self._take(id, text, given))

    async def _take(self, id: Any, text: str, state: dict[str, Any]) -> None:
        from rolebook_runner.errors import RunError
        from rolebook_runner.signals import TurnFinished, signal_to_json

        outcome: dict[str, Any] = {"result": {"status": "stopped"}}
        try:
            async with aclosing(self._run.runner.turn(self._run.session, text, state=state)) as signals:
                async for each in signals:
                    await self._writer.send({"type": "signal", "turn": id, "signal": signal_to_json(each)})
                    if isinstance(each, TurnFinished):
                        outcome = {"result": {"status": each.status, "text": each.text}}
        except RunError as error:
            outcome = {"error": {"code": "refused", "message": str(error)}}
        except asyncio.CancelledError:
            pass  # the answer says `stopped`
        except Exception as error:
            outcome = {"error": {"code": "fault", "message": f"{type(error).__name__}: {error}"}}
        await self._tell(id, **outcome)
        await self._state_is("waiting", session=self._run.session)

    async def _stop(self, _id: Any, _: dict[str, Any]) -> dict[str, Any]:
        """The turn's own answer comes before this one's."""
        return {"stopped": await self._stop_turn()}

    async def _stop_turn(self) -> bool:
        if self._turn is None or self._turn.done():
            return False
        self._turn.cancel()
        await asyncio.wait({self._turn})
        return True

    async def _request(self, _: Any, command: dict[str, Any]) -> dict[str, Any]:
        from rolebook_runner.errors import RunError

        text = command.get("text")
        if text is not None and not isinstance(text, str):
            raise Refused("invalid", "`text` is a text")
        if not command.get("next"):
            shown = last_request(self._run)
            return {"request": shown.to_json() if shown is not None else None}
        if self._turn is not None and not self._turn.done():
            raise Refused("busy", "a turn is running; its next request depends on what comes")
        try:
            upcoming = await self._run.runner.upcoming(self._run.session, text, state=self._run.state)
        except RunError as error:
            raise Refused("refused", str(error)) from None
        return {"request": next_request(self._run, upcoming).to_json(), "warnings": list(upcoming.warnings)}

    async def _state(self, _id: Any, _: dict[str, Any]) -> dict[str, Any]:
        return {"state": await self._asked(self._run.runner.state(self._run.session))}

    async def _events(self, _id: Any, _: dict[str, Any]) -> dict[str, Any]:
        events = await self._asked(self._run.runner.events(self._run.session))
        return {"events": [event_to_json(event) for event in events]}

    async def _asked(self, answer: Awaitable[Any]) -> Any:
        from rolebook_runner.errors import RunError

        try:
            return await answer
        except RunError as error:
            raise Refused("refused", str(error)) from None

    async def _quit(self, _id: Any, _: dict[str, Any]) -> dict[str, Any]:
        await self._stop_turn()
        self._ends.set()
        return {}

    def _listen_to_the_system(self) -> None:
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(AttributeError, NotImplementedError, ValueError, RuntimeError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self._ends.set)

    async def _tell(self, id: Any, **outcome: Any) -> None:
        await self._writer.send({"type": "answer", "id": id, **outcome})

    async def _state_is(self, state: str, **more: Any) -> None:
        await self._writer.send({"type": "state", "state": state, **more})


def _problem(snapshot: Snapshot, problem: Problem) -> dict[str, Any]:
    source = snapshot.source(problem.path)
    told: dict[str, Any] = {"rule": problem.rule, "message": problem.message, "file": problem.path}
    if source is not None:
        start = source.text.position(problem.span.start)
        told |= {"line": start.line + 1, "column": start.character + 1}
    return told


def _read(line: str | TooLong) -> dict[str, Any]:
    """A command, which has an id. Raises Refused, which is then answered under the id None."""
    if not isinstance(line, str):
        raise Refused("invalid", "the line is too long")
    try:
        command = json.loads(line)
    except (ValueError, RecursionError):
        raise Refused("invalid", "the line is no JSON") from None
    if not isinstance(command, dict) or not isinstance(command.get("id"), str | int):
        raise Refused("invalid", "a command is an object with an `id`, a text or an integer")
    return command


async def _orphaned(parent: int) -> None:
    """Returns when the process that started this one is gone, as far as the system tells."""
    while os.getppid() == parent:
        await asyncio.sleep(_PARENT_SECONDS)
