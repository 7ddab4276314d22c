"""`rolebook run`: one turn of an agent tree, or a chat. Answers go to standard output, notices to standard error."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import secrets
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple

from rolebook.json import JsonValue, compact
from rolebook.prompt.events import COMPACTION, FunctionResponse
from rolebook_cli.output import Failure, paint, problem_text
from rolebook_cli.project import errors_of, open_tree
from rolebook_cli.storage import STORE_HELP, chosen_location, run_text
from rolebook_cli.values import read_pairs

if TYPE_CHECKING:
    from rolebook.project.tree import Tree
    from rolebook_runner.models.model import Models
    from rolebook_runner.runner import Runner
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.sessions.storage import Storage
    from rolebook_runner.signals import Signal


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a definition, or a folder with a root_agent.yaml")
    parser.add_argument("message", nargs="?", metavar="MESSAGE", help="what the user says; without it, a chat begins")
    parser.add_argument("--model", help="a model instead of the definition's; `rehearsal` needs no key and no network")
    parser.add_argument("--session", metavar="ID", help="the session to go on with, or to start under this name")
    parser.add_argument("--store", help=STORE_HELP)
    parser.add_argument("--state", action="append", default=[], metavar="KEY=VALUE", help="a state value: JSON or text")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="a generation setting")
    parser.add_argument("--json", action="store_true", help="print what happens as JSON lines")


def run(args: argparse.Namespace) -> int:
    from rolebook_runner.errors import RunError
    from rolebook_runner.limits import limits_of
    from rolebook_runner.models.choose import DefaultModels
    from rolebook_runner.models.environment import environment
    from rolebook_runner.runner import Runner
    from rolebook_runner.sessions.storage import open_storage

    snapshot, tree = open_tree(args.path)
    state, config = read_pairs(args.state, "--state"), read_pairs(args.config, "--config")
    models = DefaultModels(environment(os.path.dirname(tree.root.agent.path)), tree.config.models)
    location = _location(args, tree, models)
    try:
        storage = open_storage(location)
        runner = Runner(
            tree,
            snapshot,
            store=storage.store,
            memory=storage.memory,
            artifacts=storage.artifacts,
            models=models,
            model=args.model,
            app=run_text(tree.config, "app"),
            config=config,
            limits=limits_of(tree.config.run),
            stop_on_instruction_error=tree.config.run.get("instruction_errors") == "stop",
        )
    except RunError as error:
        raise Failure(str(error)) from None
    if errors := errors_of(snapshot, tree):
        for problem in errors:
            source = snapshot.source(problem.path)
            if source is not None:
                print(problem_text(problem, source.text, sys.stderr), file=sys.stderr)
        print("rolebook: a tree with errors isn't run", file=sys.stderr)
        return 1
    logging.getLogger("rolebook").addHandler(logging.NullHandler())  # the transcript tells it already
    printer = _print_json if args.json else _Transcript().show
    stored = location.path is not None
    try:
        return _talk(runner, storage, _Session(args.session, stored, not args.json), args.message, state, printer)
    except RunError as error:
        raise Failure(str(error)) from None


def _location(args: argparse.Namespace, tree: Tree, models: Models) -> Location:
    """Where the run's session is kept. A rehearsal that nobody wants to go on with isn't worth loading a database."""
    from rolebook_runner.errors import RunError
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.turn import is_rehearsal

    if args.session is not None and not args.session.strip():
        raise Failure("--session takes an id, which isn't empty")
    if args.session is None and args.store is None and "store" not in tree.config.run:
        try:
            if is_rehearsal(tree, models, args.model):
                return Location(None)
        except RunError:
            pass  # the turn will say so
    return chosen_location(args.store, tree.config)


class _Session(NamedTuple):
    """The session's `id`, None for a new one; whether it outlives the process, and whether the user is told of it."""

    id: str | None
    stored: bool
    told: bool

    async def start(self, runner: Runner) -> str:
        """The id. Tells the user, on standard error, what a later run needs to know."""
        id = self.id or secrets.token_hex(5)
        if self.told and self.stored:
            if self.id is None:
                note = f"session {id}; `--session {id}` goes on with it"
            else:
                events = len(await runner.events(id))
                note = f"session {id} goes on after {events} events" if events else f"session {id} is new"
            print(paint(note, "dim", stream=sys.stderr), file=sys.stderr)
        return id


def _talk(
    runner: Runner,
    storage: Storage,
    session: _Session,
    message: str | None,
    state: dict[str, JsonValue],
    printer: Any,
) -> int:
    """One turn, or a chat until the input ends. Status 1 where the last turn failed.

    The user is asked between the turns, outside of the event loop, so that Ctrl-C at the prompt ends the chat at once.
    """
    done = True
    with asyncio.Runner() as loop:
        try:
            id = loop.run(session.start(runner))
            if message is not None:
                done = loop.run(_turn(runner, id, message, state, printer))
            while message is None and (line := _ask()) is not None:
                if line.strip():
                    done = loop.run(_turn(runner, id, line, state, printer))
                    state = {}
        finally:
            loop.run(runner.aclose())
            loop.run(storage.aclose())
    return 0 if done else 1


async def _turn(runner: Runner, session: str, message: str, state: dict[str, JsonValue], printer: Any) -> bool:
    """Whether the turn came to its end."""
    done = False
    async with aclosing(runner.turn(session, message, state=state)) as signals:
        async for signal in signals:
            printer(signal)
            done = getattr(signal, "status", None) == "done"
    return done


def _ask() -> str | None:
    """The user's next line, None at the end of the input."""
    try:
        return input(paint("you: ", "bold") if sys.stdin.isatty() else "")
    except EOFError:
        return None


def _print_json(signal: Signal) -> None:
    from rolebook_runner.signals import signal_to_json

    print(json.dumps(signal_to_json(signal), ensure_ascii=False), flush=True)


class _Transcript:
    """Prints a turn as people read it: who speaks, which tools were called, who hands over to whom."""

    def __init__(self) -> None:
        self.speaker = ""
        """Whose text stands on the line that isn't finished yet."""

    def show(self, signal: Signal) -> None:
        from rolebook_runner import signals as s

        match signal:
            case s.TextDelta(agent=agent, text=text):
                if self.speaker != agent:
                    self._end_line()
                    print(paint(f"{agent}: ", "green", "bold"), end="")
                    self.speaker = agent
                print(text, end="", flush=True)
            case s.ToolStarted(agent=agent, tool=tool, args=args) if tool != "transfer_to_agent":
                self._line(f"{agent} calls {paint(tool, 'cyan')} {compact(args)}")
            case s.EventStored(event=event) if event.author == COMPACTION and event.replaces:
                self._line(f"{paint('summarized', 'cyan')} {len(event.replaces)} messages")
            case s.EventStored(event=event):
                for part in event.parts:
                    match part:
                        case FunctionResponse(_, "transfer_to_agent", {"error": str(reason)}):
                            self._line(f"{event.author} {paint('was refused to hand over', 'red')}: {reason}")
            case s.AgentFinished():
                self._end_line()
            case s.ToolFinished(tool=tool, response=response, failed=failed, where=where) if (
                tool != "transfer_to_agent"
            ):
                place = f" at {where}" if where else ""
                word = paint(f"failed{place}", "red") if failed else "gave"
                self._line(f"{paint(tool, 'cyan')} {word} {compact(response)}")
            case s.Transferred(source=source, target=target, note=note):
                said = f": {note}" if note else ""
                self._line(f"{source} {paint('hands over to', 'magenta')} {target}{said}")
            case s.Notice(message=message):
                self._aside(message)
            case s.Warning(message=message, agent=agent):
                about = f"{agent}: " if agent else ""
                self._aside(f"{paint('warning', 'yellow', stream=sys.stderr)}: {about}{message}")
            case s.Error(message=message):
                self._aside(f"{paint('error', 'red', stream=sys.stderr)}: {message}")
            case s.TurnFinished():
                self._end_line()

    def _line(self, text: str) -> None:
        self._end_line()
        print(f"  {text}", flush=True)

    def _aside(self, text: str) -> None:
        self._end_line()
        sys.stdout.flush()
        print(text, file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        if self.speaker:
            print(flush=True)
            self.speaker = ""
