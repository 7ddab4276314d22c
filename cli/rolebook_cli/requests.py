"""The requests that `compile` and `tokens` are about: which agents, for which conversation, with holes or without."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event
from rolebook.record import Record, replace
from rolebook_cli.output import Failure, paint, problem_text, visible
from rolebook_cli.project import errors_of
from rolebook_cli.storage import STORE_HELP
from rolebook_cli.values import Conversation, read_events, read_pairs

if TYPE_CHECKING:
    from rolebook_runner.sessions.storage import Storage
    from rolebook_runner.sessions.store import SessionKey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what to compile."""
    parser.add_argument("path", metavar="PATH", help="a definition, or a folder with a root_agent.yaml")
    parser.add_argument("--agent", metavar="NAME", help="this agent only")
    parser.add_argument(
        "--state", action="append", default=[], metavar="KEY=VALUE", help="a state value: JSON, else text"
    )
    parser.add_argument(
        "--events",
        metavar="FILE",
        help="the session's events, a JSON list or JSON lines; - reads them from standard input",
    )
    parser.add_argument(
        "--session", metavar="ID", help="a stored session: the request that its next model call would get"
    )
    parser.add_argument("--store", help=STORE_HELP)
    parser.add_argument("--model", help="a model instead of the definition's")
    parser.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a generation setting; it wins over the definition's",
    )
    parser.add_argument(
        "--execute",
        action="store_true",
        help="fill in what only a run knows: import the tools, call the functions of instructions and tool lists",
    )


class Request(Record):
    """The agent at a place, and what it compiles to."""

    place: Place
    compilation: Compilation

    @property
    def model(self) -> str | None:
        return self.compilation.request.model


def requests(args: argparse.Namespace, snapshot: Snapshot, tree: Tree, *, one: bool = False) -> Iterator[Request]:
    """The requests of the named agent, of the one whose turn it is (`one`), or of all that call a model.

    They are made one by one, as they are asked for. Raises Failure.
    """
    given = _given(args, tree)
    config = read_pairs(args.config, "--config")
    places = _chosen(tree, args.agent, given.events, one=one or args.session is not None)
    contexts = _executed(args, snapshot, tree, places, given) if args.execute else _read(snapshot, places, given)
    for place, context in contexts:
        yield Request(place, compile_request(tree, place, context, given.events, model=args.model, config=config))


def print_errors(snapshot: Snapshot, tree: Tree) -> int:
    """Prints the errors that keep a tree from being run, and gives the exit status that they mean."""
    errors = errors_of(snapshot, tree)
    print_problems(snapshot, errors)
    return 1 if errors else 0


def print_problems(snapshot: Snapshot, problems: Sequence[Problem]) -> None:
    """On standard error, each with its lines of the source."""
    for problem in problems:
        source = snapshot.source(problem.path)
        if source is not None:
            print(problem_text(problem, source.text, sys.stderr), file=sys.stderr)


def _chosen(tree: Tree, name: str | None, events: list[Event], *, one: bool) -> list[Place]:
    from rolebook.definition.names import did_you_mean
    from rolebook.prompt.turn import whose_turn

    if name is not None:
        place = tree.named(name)
        if place is None:
            raise Failure(f"there is no agent `{name}` in this tree{did_you_mean(name, [p.agent.name for p in tree])}")
        return [place]
    if not one:
        return [place for place in tree if place.agent.kind == "LlmAgent"]
    place = whose_turn(tree, events)
    while place.agent.kind != "LlmAgent":  # a workflow calls no model; its first step does
        children = tree.children(place)
        if not children:
            raise Failure(f"`{place.agent.name}` is a {place.agent.agent_class} and calls no model; name an `--agent`")
        place = children[0]
    return [place]


def _given(args: argparse.Namespace, tree: Tree) -> Conversation:
    """The conversation to compile for: a stored session, events from a file, or none yet."""
    state = read_pairs(args.state, "--state")
    if args.session is None:
        events = read_events(args.events) if args.events else []
        return Conversation(events, {**initial_state(tree, samples=not args.events), **state}, {})
    if args.events:
        raise Failure("--session and --events exclude each other")
    from rolebook_cli.stored_session import read_session

    stored = read_session(args.session, args.store, tree)
    return replace(stored, state={**stored.state, **state})


def _read(snapshot: Snapshot, places: list[Place], given: Conversation) -> Iterator[tuple[Place, Context]]:
    """What reading alone tells; nothing of the user's runs."""
    for place in places:
        declarations = snapshot.declarations(place)
        yield place, Context(state=given.state, artifacts=given.artifacts, declarations=declarations)


def _executed(
    args: argparse.Namespace, snapshot: Snapshot, tree: Tree, places: list[Place], given: Conversation
) -> Iterator[tuple[Place, Context]]:
    """What a run would know at its next model call. It runs the user's code, in the same way as a run."""
    import asyncio
    import logging

    from rolebook_cli.stored_session import in_session
    from rolebook_runner.errors import RunError
    from rolebook_runner.execute import Executed, execute

    logging.getLogger("rolebook").addHandler(logging.NullHandler())  # the warnings tell it already

    async def all_of(storage: Storage | None = None, key: SessionKey | None = None) -> list[Executed]:
        memory = storage.memory if storage is not None else None
        return [
            await execute(snapshot, tree, place, given.events, given.state, args.model, key=key, memory=memory)
            for place in places
        ]

    try:
        with redirect_stdout(sys.stderr):  # what the user's code prints is no part of the output
            if args.session is None:
                done = asyncio.run(all_of())
            else:
                done = in_session(args.session, args.store, tree, all_of)
    except RunError as error:
        raise Failure(str(error)) from None
    for place, executed in zip(places, done, strict=True):
        for warning in executed.warnings:
            print(f"{paint('warning', 'yellow', stream=sys.stderr)}: {visible(warning)}", file=sys.stderr)
        artifacts = {**executed.context.artifacts, **given.artifacts}
        yield place, replace(executed.context, artifacts=artifacts)
