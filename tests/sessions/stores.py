"""Stores to test, and short ways to write to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rolebook.prompt.events import Event, TextPart
from rolebook_runner.sessions.location import Location
from rolebook_runner.sessions.storage import Storage, open_storage
from rolebook_runner.sessions.store import SessionKey, Store

ANN, ANN_TOO, BOB = SessionKey("app", "ann", "1"), SessionKey("app", "ann", "2"), SessionKey("app", "bob", "1")
ELSEWHERE = SessionKey("other", "ann", "1")


def opened(kind: str, folder: Path) -> Storage:
    """A new storage: `memory`, or `sqlite` in a file of this folder."""
    return open_storage(Location(None if kind == "memory" else str(folder / "sessions.db")))


def event(id: str = "1", state: Mapping[str, Any] | None = None, text: str = "x") -> Event:
    return Event(id, "a", None, (TextPart(text),), metadata={"state": dict(state)} if state else {})


async def write(store: Store, key: SessionKey, state: Mapping[str, Any] | None = None, text: str = "x") -> Event:
    """Appends one more event to the session."""
    position = len(await store.events(key))
    added = event(f"e{position}", state, text)
    await store.append(key, added, position)
    return added
