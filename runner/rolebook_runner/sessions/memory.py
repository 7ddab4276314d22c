"""Sessions that live as long as the process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rolebook.json import JsonValue
from rolebook.prompt.events import Event
from rolebook_runner.sessions.store import Conflict, SessionKey, Summary, now, written

_Owner: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class _Session:
    started: str
    updated: str
    events: list[Event] = field(default_factory=list)


class MemoryStore:
    """A store without a file. No method awaits anything, so each is atomic for the tasks of one event loop."""

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, _Session] = {}
        self._state: dict[_Owner, dict[str, JsonValue]] = {}

    async def create(self, key: SessionKey, state: Mapping[str, JsonValue]) -> bool:
        if key in self._sessions:
            return False
        time = now()
        self._sessions[key] = _Session(time, time)
        present = self._visible(key)
        self._write(key, {name: value for name, value in state.items() if name not in present})
        return True

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        return tuple(self._sessions[key].events)

    async def state(self, key: SessionKey) -> dict[str, JsonValue]:
        if key not in self._sessions:
            raise KeyError(key)
        return self._visible(key)

    async def append(self, key: SessionKey, event: Event, position: int) -> None:
        session = self._sessions[key]
        if position != len(session.events):
            raise Conflict(key)
        self._sessions[key] = self._sessions.pop(key)  # they stand in the order in which they were last written to
        session.events.append(event)
        session.updated = now()
        self._write(key, written(event))

    async def sessions(self) -> tuple[Summary, ...]:
        return tuple(
            Summary(key, len(held.events), held.started, held.updated, held.events[0].text if held.events else "")
            for key, held in reversed(self._sessions.items())
        )

    async def delete(self, key: SessionKey) -> bool:
        self._state.pop((key.app, key.user, key.id), None)
        return self._sessions.pop(key, None) is not None

    async def aclose(self) -> None:
        return None

    def _visible(self, key: SessionKey) -> dict[str, JsonValue]:
        owners: list[_Owner] = [(key.app,), (key.app, key.user), (key.app, key.user, key.id)]
        return {name: value for owner in owners for name, value in self._state.get(owner, {}).items()}

    def _write(self, key: SessionKey, values: Mapping[str, JsonValue]) -> None:
        for name, value in values.items():
            owned = self._state.setdefault(_owner(key, name), {})
            if value is None:
                owned.pop(name, None)
            else:
                owned[name] = value


def _owner(key: SessionKey, name: str) -> _Owner:
    if name.startswith("app:"):
        return (key.app,)
    if name.startswith("user:"):
        return (key.app, key.user)
    return (key.app, key.user, key.id)
