"""What a run needs, opened: the tree, its runner, where its session is kept, and what watches its connections."""

from __future__ import annotations

import argparse
import os
import secrets
from typing import TYPE_CHECKING

from rolebook.json import JsonValue
from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Tree
from rolebook_cli.output import Failure
from rolebook_cli.project import errors_of, open_tree
from rolebook_cli.storage import chosen_location, run_text
from rolebook_cli.values import read_pairs

if TYPE_CHECKING:
    from rolebook_runner.models.environment import Secret
    from rolebook_runner.models.model import ModelCall, Models
    from rolebook_runner.models.traffic import Traffic
    from rolebook_runner.runner import Runner
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.sessions.storage import Storage


class Run:
    """One session of a tree. `state` is what the next turn sets; `last_call` the last model call, None before it.

    `named` says whether the user chose the session, `stored` whether it outlives the process. To be closed.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        tree: Tree,
        session: str | None,
        state: dict[str, JsonValue],
        storage: Storage,
        traffic: Traffic,
        *,
        stored: bool,
    ) -> None:
        self.snapshot = snapshot
        self.tree = tree
        self.named = session is not None
        self.session = session or secrets.token_hex(5)
        self.state = state
        self.storage = storage
        self.traffic = traffic
        self.stored = stored
        self.last_call: ModelCall | None = None
        self.runner: Runner

    def saw(self, call: ModelCall) -> None:
        self.last_call = call

    async def aclose(self) -> None:
        try:
            await self.runner.aclose()
        finally:
            self.traffic.close()
            await self.storage.aclose()

    @property
    def left_to_replay(self) -> int:
        """How many requests of the recording weren't made; 0 without one."""
        return getattr(self.traffic, "left", 0)


class TreeErrors(Exception):
    """The errors that keep a tree from being run."""

    def __init__(self, snapshot: Snapshot, problems: list[Problem]) -> None:
        super().__init__("a tree with errors isn't run")
        self.snapshot = snapshot
        self.problems = problems


def open_run(args: argparse.Namespace) -> Run:
    """Raises TreeErrors, and Failure where the tree can't be run for another reason, or what it needs can't be opened.

    A tree that isn't run leaves nothing behind, a file to record to least of all.
    """
    from rolebook_runner.errors import RunError
    from rolebook_runner.limits import limits_of
    from rolebook_runner.models.choose import models_of
    from rolebook_runner.models.environment import environment
    from rolebook_runner.runner import Runner
    from rolebook_runner.sessions.storage import open_storage
    from rolebook_runner.unrunnable import unrunnable

    snapshot, tree = open_tree(args.path)
    if reasons := unrunnable(tree):
        raise Failure("; ".join(reasons))
    if problems := errors_of(snapshot, tree):
        raise TreeErrors(snapshot, problems)
    state, config = read_pairs(args.state, "--state"), read_pairs(args.config, "--config")
    variables = environment(os.path.dirname(tree.root.agent.path))
    try:
        traffic = _traffic(args, variables)
        models = models_of(tree, variables, traffic)
        location = _location(args, tree, models)
        storage = open_storage(location)
        run = Run(snapshot, tree, args.session, state, storage, traffic, stored=location.path is not None)
        run.runner = Runner(
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
            on_model_call=run.saw,
        )
    except RunError as error:
        raise Failure(str(error)) from None
    return run


def _traffic(args: argparse.Namespace, variables: dict[str, str]) -> Traffic:
    from rolebook_runner.models.traffic import Traffic

    if args.record is not None and args.replay is not None:
        raise Failure("--record and --replay exclude each other")
    if args.record is not None:
        from rolebook_runner.models.recording import Recorder

        return Recorder(args.record, _keys(variables))
    if args.replay is not None:
        from rolebook_runner.models.replaying import Replay

        return Replay(args.replay, _keys(variables))
    return Traffic()


def _keys(variables: dict[str, str]) -> list[Secret]:
    from rolebook_runner.models.environment import Secret

    return [Secret(value.strip()) for name, value in variables.items() if name.endswith("_API_KEY")]


def _location(args: argparse.Namespace, tree: Tree, models: Models) -> Location:
    """Where the run's session is kept. A rehearsal that nobody wants to go on with isn't worth loading a database."""
    from rolebook_runner.errors import RunError
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.turn import is_rehearsal

    if args.session is not None and not args.session.strip():
        raise Failure("--session takes an id, which isn't empty")
    if args.session is None and args.store is None and "store" not in tree.config.run:
        try:
            if args.replay is not None or is_rehearsal(tree, models, args.model):
                return Location(None)
        except RunError:
            pass  # the turn will say so
    return chosen_location(args.store, tree.config)
