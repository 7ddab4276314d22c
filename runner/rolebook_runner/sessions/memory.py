"""Sessions that live as long as the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from rolebook.json import JsonValue
from rolebook.prompt.events import Event
from rolebook_runner.sessions.store import SessionKey, written

_Owner: TypeAlias = tuple[str, ...]


class MemoryStore:
    """A store without a file. No method awaits anything, so each is atomic for the tasks of one event loop."""

    def __init__(self) -> None:
        self._events: dict[SessionKey, list[Event]] = {}
        self._state: dict[_Owner, dict[str, JsonValue]] = {}

    async def create(self, key: SessionKey, state: Mapping[str, JsonValue]) -> bool:
        if key in self._events:
            return False
        self._events[key] = []
        present = self._visible(key)
        self._write(key, {name: value for name, value in state.items() if name not in present})
        return True

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        return tuple(self._events[key])

    async def state(self, key: SessionKey) -> dict[str, JsonValue]:
        if key not in self._events:
            raise KeyError(key)
        return self._visible(key)

    async def append(self, key: SessionKey, event: Event) -> None:
        self._events[key].append(event)
        self._write(key, written(event))

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
