"""One user turn while it runs: what all its agents share. Events are stored through it, and nowhere else."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from rolebook.json import JsonObject, JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.events import Event, EventId, Part
from rolebook_runner.agents.together import to_the_end
from rolebook_runner.artifacts.artifacts import SessionArtifacts
from rolebook_runner.context import Context
from rolebook_runner.errors import RunError
from rolebook_runner.limits import Spent
from rolebook_runner.memory.memory import UserMemory
from rolebook_runner.sessions.state import TEMP, Line, ToolState
from rolebook_runner.sessions.store import STATE, SessionKey
from rolebook_runner.settings import Settings
from rolebook_runner.signals import EventStored, Notice, Signal, TextDelta, Warning


class Invocation:
    """`events` is the session's history as it is stored, in the same order.

    `emit` hands a signal to the caller; it waits while the caller is busy, and where the caller stops the turn, it is
    one of the places at which the turn is cancelled. The store comes first at each step, so what was told is stored.
    """

    def __init__(
        self, settings: Settings, key: SessionKey, events: Sequence[Event], emit: Callable[[Signal], Awaitable[None]]
    ) -> None:
        self.settings = settings
        self.key = key
        self.id: EventId = uuid.uuid4().hex
        self.events = list(events)
        self.spent = Spent(settings.limits)
        self.emit = emit
        self._storing = asyncio.Lock()
        self._told: set[str] = set()
        self._private = False

    def private(self) -> Invocation:
        """An invocation of its own within this one, for an agent that works as a tool: it begins without a history, and
        its events end with it. Limits are shared, and so is what the caller is told, but for the words and events."""

        async def emit(signal: Signal) -> None:
            if not isinstance(signal, EventStored | TextDelta):
                await self.emit(signal)

        inner = Invocation(self.settings, self.key, (), emit)
        inner.spent = self.spent
        inner._told = self._told
        inner._private = True
        return inner

    async def store(
        self,
        line: Line,
        author: str,
        branch: str | None,
        parts: tuple[Part, ...],
        *,
        handed_from: EventId | None = None,
        replaces: tuple[EventId, ...] = (),
        metadata: JsonObject | None = None,
        state: Mapping[str, JsonValue] | None = None,
    ) -> Event:
        """Adds an event to the session, with the state that was written with it.

        Raises RunError where it can't be stored, for one because another run writes to the session, and LimitReached
        where the state would grow too large.
        """
        noted: dict[str, JsonValue] = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **(metadata or {})}
        if state:
            noted[STATE] = dict(state)
        event = Event(uuid.uuid4().hex, author, branch, parts, self.id, handed_from, replaces, noted)
        async with self._storing:  # agents that run at the same time: the store and `events` keep one order
            self.spent.state(line.values, state or {})
            await to_the_end(self._append(event))
        line.write(state or {})
        await self.emit(EventStored(event))
        return event

    async def _append(self, event: Event) -> None:
        if not self._private:
            try:
                await self.settings.store.append(self.key, event, len(self.events))
            except KeyError:
                raise RunError(f"the session `{self.key.id}` was deleted while it ran") from None
        self.events.append(event)

    async def warn(self, message: str, agent: str | None = None) -> None:
        await self.emit(Warning(message, agent))

    async def notice_once(self, message: str, agent: str | None = None) -> None:
        """Tells the caller of something once in a turn, however often it comes up."""
        if message not in self._told:
            self._told.add(message)
            await self.emit(Notice(message, agent))

    async def warn_once(self, message: str, agent: str | None = None) -> None:
        if message not in self._told:
            self._told.add(message)
            await self.warn(message, agent)

    def context(self, place: Place, state: ToolState | Mapping[str, JsonValue]) -> Context:
        """What a function of the user's gets that is called for the agent at `place`."""
        return Context(
            state=state,
            events=tuple(self.events),
            agent=place.agent.name,
            branch=place.branch,
            session=self.key.id,
            user_id=self.key.user,
            app_name=self.key.app,
            invocation=self.id,
            memory=UserMemory(self.settings.memory, self.key.app, self.key.user),
            artifacts=SessionArtifacts(self.settings.artifacts, self.key),
        )


def split_temp(values: Mapping[str, JsonValue]) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """What is stored, and what belongs to one agent's context alone."""
    kept = {key: value for key, value in values.items() if not key.startswith(TEMP)}
    return kept, {key: value for key, value in values.items() if key.startswith(TEMP)}
