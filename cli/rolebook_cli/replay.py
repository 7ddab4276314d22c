"""`rolebook sessions replay`: a session's messages against the definition as it is now, and where answers differ."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from rolebook.prompt.events import Event
from rolebook_cli.excerpt import visible
from rolebook_cli.found_sessions import find_session, with_storage
from rolebook_cli.output import Failure, paint
from rolebook_cli.project import errors_of, open_tree
from rolebook_cli.transcript import Turn, lines, turns

if TYPE_CHECKING:
    from rolebook_runner.runner import Runner
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.sessions.storage import Storage
    from rolebook_runner.sessions.store import SessionKey

_SHARED = ("app:", "user:")


def replay(args: argparse.Namespace, location: Location) -> int:
    """Status 1 where a turn differs. Nothing is written to the store, but tools do what they do."""
    return with_storage(location, lambda storage: _replay(args, storage))


async def _replay(args: argparse.Namespace, storage: Storage) -> int:
    from rolebook_runner.limits import limits_of
    from rolebook_runner.runner import Runner

    key = (await find_session(storage, args.id, args.app, args.user)).key
    before = list(turns(await storage.store.events(key)))
    if not before:
        raise Failure(f"the session `{key.id}` holds no message of the user")
    snapshot, tree = open_tree(args.path)
    if errors_of(snapshot, tree):
        raise Failure("a tree with errors isn't run; `rolebook check` shows them")
    logging.getLogger("rolebook").addHandler(logging.NullHandler())  # what is worth knowing comes as a signal
    scratch = await _scratch(storage, key, before)
    runner = Runner(
        tree,
        snapshot,
        store=scratch.store,
        artifacts=scratch.artifacts,
        model=args.model,
        app=key.app,
        user=key.user,
        limits=limits_of(tree.config.run),
        stop_on_instruction_error=tree.config.run.get("instruction_errors") == "stop",
    )
    told: set[str] = set()
    results = []
    async with runner:
        for number, turn in enumerate(before, 1):
            now = await _run(runner, key.id, turn, told)
            then = list(lines(turn.events))
            results.append({"text": turn.text, "same": then == now, "before": then, "after": now})
            if args.format == "text":
                print("\n".join(_compared(number, turn.text, then, now)))
    if args.format == "json":
        print(json.dumps(results, ensure_ascii=False, indent=2))
    return 0 if all(result["same"] for result in results) else 1


async def _scratch(storage: Storage, key: SessionKey, before: Sequence[Turn]) -> Storage:
    """A storage of its own, with the session's artifacts and the shared state that the session didn't write."""
    from rolebook_runner.sessions.storage import process_storage
    from rolebook_runner.sessions.store import SessionKey, written

    scratch = process_storage()
    own = {name for turn in before for name in turn.state}
    own |= {name for turn in before for event in turn.events for name in written(event)}
    state = await storage.store.state(key)
    shared = {name: value for name, value in state.items() if name.startswith(_SHARED) and name not in own}
    await scratch.store.create(SessionKey(key.app, key.user, key.id + " "), shared)
    for name in await storage.artifacts.list(key):
        artifact = await storage.artifacts.load(key, name)
        if artifact is not None:
            await scratch.artifacts.save(key, name, artifact.data, artifact.mime)
    return scratch


async def _run(runner: Runner, session: str, turn: Turn, told: set[str]) -> list[str]:
    """The lines of the turn as it goes now; an error that ends it is the last one. Notices are told once."""
    from rolebook_runner import signals as s

    events: list[Event] = []
    errors: list[str] = []
    async with aclosing(runner.turn(session, turn.text, state=turn.state)) as happening:
        async for signal in happening:
            match signal:
                case s.EventStored(event=event):
                    events.append(event)
                case s.Error(message=message):
                    errors.append(f"error: {message}")
                case s.Notice(message=message) | s.Warning(message=message) if message not in told:
                    told.add(message)
                    print(visible(message), file=sys.stderr)
    return [*lines(events[1:]), *errors]


def _compared(number: int, text: str, then: list[str], now: list[str]) -> Iterator[str]:
    if then == now:
        yield f"{number}. {paint('same', 'green')}  {_line(text)}"
        return
    import difflib

    yield f"{number}. {paint('differs', 'red')}  {_line(text)}"
    compared = difflib.unified_diff(then, now, lineterm="", n=len(then))
    for line in list(compared)[3:]:  # behind the names of the files and the range
        shown = f"   {line}".replace("\n", "\n     ")
        yield paint(shown, "red") if line[0] == "-" else paint(shown, "green") if line[0] == "+" else shown


def _line(text: str) -> str:
    return visible(" ".join(text.split()))
