"""`Runner`: runs an agent tree, turn by turn, and tells its caller what happens while it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress

from rolebook.json import JsonValue
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Tree
from rolebook.prompt.events import Event
from rolebook_runner.artifacts.artifacts import Artifacts
from rolebook_runner.artifacts.process import ProcessArtifacts
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import split_temp
from rolebook_runner.jsonable import to_json
from rolebook_runner.limits import Limits
from rolebook_runner.memory.memory import Memory
from rolebook_runner.memory.process import ProcessMemory
from rolebook_runner.models.choose import models_of
from rolebook_runner.models.model import ModelCall, Models
from rolebook_runner.sessions.memory import MemoryStore
from rolebook_runner.sessions.store import SessionKey, Store
from rolebook_runner.settings import Declarations, Settings
from rolebook_runner.signals import Signal
from rolebook_runner.turn import run_turn
from rolebook_runner.unrunnable import unrunnable
from rolebook_runner.upcoming import Upcoming, upcoming

_MOST_WAITING = 256
"""Signals that wait for the caller. A slow caller slows the turn down, and memory stays bounded."""


class Runner:
    """Runs the tree in any number of sessions of one user, also at the same time.

    `model` and `config` (generation settings in snake_case) win over the definitions. `models` decides who answers; by
    default the models' names do, with keys and addresses from the environment or the `.env` beside the definition.
    `declarations` tells what is known of a place's tools without importing them, by default what the snapshot knows.
    What isn't given of `store`, `memory` and `artifacts` lives as long as the runner; what is given, the caller closes.
    `app` is the root's name where it isn't given. `on_model_call` is called before each model call with the request and
    what it was compiled from.

    Raises RunError for a tree that can't be run, naming the agents. To be closed with `aclose` or `async with`.
    """

    def __init__(
        self,
        tree: Tree,
        snapshot: Snapshot,
        *,
        store: Store | None = None,
        memory: Memory | None = None,
        artifacts: Artifacts | None = None,
        models: Models | None = None,
        model: str | None = None,
        config: Mapping[str, JsonValue] | None = None,
        declarations: Declarations | None = None,
        limits: Limits | None = None,
        app: str | None = None,
        user: str = "user",
        stop_on_instruction_error: bool = False,
        on_model_call: Callable[[ModelCall], None] | None = None,
    ) -> None:
        if problems := unrunnable(tree):
            raise RunError("; ".join(problems))
        self._settings = Settings(
            tree=tree,
            root=snapshot.root,
            app=app or tree.root.agent.name,
            user=user,
            store=store or MemoryStore(),
            memory=memory or ProcessMemory(),
            artifacts=artifacts or ProcessArtifacts(),
            models=models or models_of(tree),
            model=model,
            config=config or {},
            limits=limits or Limits(),
            declarations=declarations or snapshot.declarations,
            stop_on_instruction_error=stop_on_instruction_error,
            on_model_call=on_model_call or _unobserved,
        )
        self._running: set[str] = set()

    async def __aenter__(self) -> Runner:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes connections that were kept open."""
        await self._settings.models.aclose()

    async def turn(
        self, session: str, text: str, *, state: Mapping[str, JsonValue] | None = None
    ) -> AsyncGenerator[Signal, None]:
        """Runs one user turn in the session, which is made where there is none, and yields what happens.

        `state` is set together with the user's message; None deletes. What goes wrong comes as an `Error`, and
        `TurnFinished` is last in any case. To close the generator, or to cancel its task, stops the turn; what is
        stored by then stays. Raises RunError where the session is in the middle of a turn, or the state is no JSON.
        """
        given = _given(state or {})
        if session in self._running:
            raise RunError(f"the session `{session}` is in the middle of a turn")
        self._running.add(session)
        signals: asyncio.Queue[Signal | None] = asyncio.Queue(_MOST_WAITING)
        task = asyncio.create_task(_report(self._settings, self._key(session), text, given, signals))
        try:
            while (signal := await signals.get()) is not None:
                yield signal
            await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):  # a failure is raised by the `await` above
                await task
            self._running.discard(session)

    async def events(self, session: str) -> tuple[Event, ...]:
        """The stored events of the session, oldest first; none where there is no such session."""
        try:
            return await self._settings.store.events(self._key(session))
        except KeyError:
            return ()

    async def state(self, session: str) -> dict[str, JsonValue]:
        """The state that the session sees; empty where there is no such session."""
        try:
            return await self._settings.store.state(self._key(session))
        except KeyError:
            return {}

    def rehearsal_reason(self, model: str | None) -> str | None:
        """Why calls of this model are a rehearsal, None where they reach a real one. Raises RunError."""
        return self._settings.models.rehearsal_reason(model)

    async def upcoming(
        self, session: str, text: str | None = None, *, state: Mapping[str, JsonValue] | None = None
    ) -> Upcoming:
        """What the session's next model call would get, after `text` of the user's and with this state on top.

        Nothing is stored and no model is asked, but the user's functions run. Raises RunError.
        """
        return await upcoming(self._settings, self._key(session), text, _given(state or {}))

    def _key(self, session: str) -> SessionKey:
        return SessionKey(self._settings.app, self._settings.user, session)


def _unobserved(_: ModelCall) -> None:
    return None


def _given(state: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    kept, temp = split_temp(state)
    if temp:
        raise RunError(f"`{next(iter(temp))}` can't be set from outside: `temp:` state belongs to one agent's context")
    try:
        return {key: to_json(value) for key, value in kept.items()}
    except TypeError as error:
        raise RunError(f"state: {error}") from error


async def _report(
    settings: Settings,
    key: SessionKey,
    text: str,
    given: Mapping[str, JsonValue],
    signals: asyncio.Queue[Signal | None],
) -> None:
    """Puts the signals of one turn into the queue, then None, also where a fault of our own ends it."""
    try:
        await run_turn(settings, key, text, given, signals.put)
    except Exception:
        await signals.put(None)
        raise
    await signals.put(None)
