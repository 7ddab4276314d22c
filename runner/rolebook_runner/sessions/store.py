"""The protocol of a session store. An event carries the state that was written with it, so both are stored at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from rolebook.json import JsonValue
from rolebook.prompt.events import Event
from rolebook_runner.errors import RunError

STATE = "state"
"""The key of an event's metadata that holds the state written with it; null stands for a key that was deleted."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Which session. `app:` state is shared by all sessions of an app, `user:` state by those of a user of it."""

    app: str
    user: str
    id: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A session in a list. `started` and `updated` are UTC times in ISO 8601; `opening` is the first event's text."""

    key: SessionKey
    events: int
    started: str
    updated: str
    opening: str


class StoreError(RunError):
    """The store can't do it: one sentence that says which store and why."""


class Conflict(StoreError):
    """The session holds other events than the writer knows of, so that what it writes might make no sense."""

    def __init__(self, key: SessionKey) -> None:
        super().__init__(f"another run writes to this session (`{key.id}`)")


class Store(Protocol):
    """Events are only ever added, and `append` is atomic: an event is stored with its state, or not at all.

    State keys have their prefix (`user:lang`). A `temp:` key belongs to one agent's context and never gets here.
    Any method may raise StoreError.
    """

    async def create(self, key: SessionKey, state: Mapping[str, JsonValue]) -> bool:
        """Makes a session that starts with this state; False, and nothing changes, where there is one.

        What `app:` and `user:` keys hold already is kept.
        """
        ...

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        """All events of the session, oldest first. Raises KeyError where there is no such session."""
        ...

    async def state(self, key: SessionKey) -> dict[str, JsonValue]:
        """What the session sees: its own state and the shared one. Raises KeyError where there is no such session."""
        ...

    async def append(self, key: SessionKey, event: Event, position: int) -> None:
        """Stores the event, and `written(event)` with it, as the one that `position` others come before.

        Raises KeyError where there is no such session, and Conflict where it has another number of events.
        """
        ...

    async def sessions(self) -> tuple[Summary, ...]:
        """All sessions, the one that was written to last first."""
        ...

    async def delete(self, key: SessionKey) -> bool:
        """Removes the session, its events and its own state; whether there was one. Shared state stays."""
        ...

    async def aclose(self) -> None:
        """Gives back what the store holds open."""
        ...


def written(event: Event) -> Mapping[str, JsonValue]:
    """The state that was written with an event, by key; null for a key that was deleted."""
    state = event.metadata.get(STATE)
    return state if isinstance(state, Mapping) else {}


def now() -> str:
    """The time for `Summary` and the like: UTC, ISO 8601, to the microsecond; such texts sort by time."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
