"""All that is kept of sessions, opened together."""

from __future__ import annotations

import os
from dataclasses import dataclass

from rolebook_runner.artifacts.artifacts import Artifacts
from rolebook_runner.artifacts.process import ProcessArtifacts
from rolebook_runner.memory.memory import Memory
from rolebook_runner.memory.process import ProcessMemory
from rolebook_runner.sessions.location import Location
from rolebook_runner.sessions.memory import MemoryStore
from rolebook_runner.sessions.store import SessionKey, Store, StoreError


@dataclass(frozen=True, slots=True)
class Storage:
    """To be closed with `aclose`."""

    store: Store
    memory: Memory
    artifacts: Artifacts

    async def delete(self, key: SessionKey) -> bool:
        """Removes the session with its memories and artifacts; whether there was one.

        The session goes last, so that a deletion that was cut short can be told, and done again.
        """
        await self.memory.forget(key)
        await self.artifacts.forget(key)
        return await self.store.delete(key)

    async def aclose(self) -> None:
        await self.store.aclose()


def process_storage() -> Storage:
    """What lives as long as the process."""
    return Storage(MemoryStore(), ProcessMemory(), ProcessArtifacts())


def open_storage(location: Location) -> Storage:
    """What is kept at this place. A file's folder is made where it is missing, the file itself at the first use.

    Raises StoreError where the folder can't be made.
    """
    if location.path is None:
        return process_storage()
    from sqlalchemy.engine import URL  # takes a few hundred milliseconds

    from rolebook_runner.sessions.sql.artifacts import SqlArtifacts
    from rolebook_runner.sessions.sql.database import Database
    from rolebook_runner.sessions.sql.memory import SqlMemory
    from rolebook_runner.sessions.sql.store import SqlStore

    try:
        os.makedirs(os.path.dirname(location.path), mode=0o700, exist_ok=True)  # conversations are private
    except OSError as error:
        raise StoreError(f"the session store {location.path} can't be made: {error.strerror or error}") from None
    database = Database(URL.create("sqlite", database=location.path), location.path)
    return Storage(SqlStore(database), SqlMemory(database), SqlArtifacts(database))
