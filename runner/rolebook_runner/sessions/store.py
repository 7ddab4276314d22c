"""The protocol of a session store. An event carries the state that was written with it, so both are stored at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from rolebook.json import JsonValue
from rolebook.prompt.events import Event

STATE = "state"
"""The key of an event's metadata that holds the state written with it; null stands for a key that was deleted."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Which session. `app:` state is shared by all sessions of an app, `user:` state by those of a user of it."""

    app: str
    user: str
    id: str


class Store(Protocol):
    """Events are only ever added, and `append` is atomic: an event is stored with its state, or not at all.

    State keys have their prefix (`user:lang`). A `temp:` key belongs to one agent's context and never gets here.
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

    async def append(self, key: SessionKey, event: Event) -> None:
        """Stores the event, and `written(event)` with it. Raises KeyError where there is no such session."""
        ...


def written(event: Event) -> Mapping[str, JsonValue]:
    """The state that was written with an event, by key; null for a key that was deleted."""
    state = event.metadata.get(STATE)
    return state if isinstance(state, Mapping) else {}
