"""All that is kept of sessions, opened together."""

from __future__ import annotations

import os
from dataclasses import dataclass

from rolebook_runner.sessions.location import Location
from rolebook_runner.sessions.memory import MemoryStore
from rolebook_runner.sessions.store import Store, StoreError


@dataclass(frozen=True, slots=True)
class Storage:
    """To be closed with `aclose`."""

    store: Store

    async def aclose(self) -> None:
        await self.store.aclose()


def open_storage(location: Location) -> Storage:
    """What is kept at this place; the file and its folder are made where they are missing.

    A database is opened at the first use, and not before that it is known to be none. Raises StoreError where the
    folder can't be made.
    """
    if location.path is None:
        return Storage(MemoryStore())
    from sqlalchemy.engine import URL  # takes a few hundred milliseconds

    from rolebook_runner.sessions.sql.database import Database
    from rolebook_runner.sessions.sql.store import SqlStore

    try:
        os.makedirs(os.path.dirname(location.path), exist_ok=True)
    except OSError as error:
        raise StoreError(f"the session store {location.path} can't be made: {error.strerror or error}") from None
    database = Database(URL.create("sqlite", database=location.path), location.path)
    return Storage(SqlStore(database))
