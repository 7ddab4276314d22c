"""One database and the thread that talks to it, so that no event loop waits for a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError, StatementError

from rolebook_runner.sessions.sql import sqlite
from rolebook_runner.sessions.sql.migrations import STEPS, NewerSchema, is_current, migrate
from rolebook_runner.sessions.store import StoreError

T = TypeVar("T")


class Database:
    """A database that is opened, and taken to the current schema, when it is first used.

    There is one thread, since SQLite lets only one write at a time; what is asked first is done first. `name` is what
    messages call the database: a path, or an address without its password.
    """

    def __init__(self, url: URL, name: str, busy_seconds: float = sqlite.BUSY_SECONDS) -> None:
        self.name = name
        self._url = url
        self._busy_seconds = busy_seconds
        self._engine: Engine | None = None
        self._thread = ThreadPoolExecutor(1, "rolebook-store")

    async def read(self, work: Callable[[Connection], T]) -> T:
        """The result of `work`, all of whose queries see the database at one moment. Raises StoreError."""
        return await self._run(lambda: self._transaction(work, writes=False))

    async def write(self, work: Callable[[Connection], T]) -> T:
        """The result of `work`, all of whose changes are made, or none. Raises StoreError."""
        return await self._run(lambda: self._transaction(work, writes=True))

    async def aclose(self) -> None:
        """Closes the connection; to be called once, and last."""
        await self._run(self._close)
        self._thread.shutdown(wait=False)

    async def _run(self, job: Callable[[], T]) -> T:
        """Runs the job in the thread. One that has begun is waited for even where the caller is cancelled, so that
        nothing is written behind its back."""
        future = self._thread.submit(job)
        waiting = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(waiting)
        except asyncio.CancelledError:
            if not future.cancel():
                with suppress(Exception):
                    await waiting
            raise

    def _transaction(self, work: Callable[[Connection], T], *, writes: bool) -> T:
        try:
            with (
                self._opened().connect().execution_options(**{sqlite.WRITES: writes}) as connection,
                connection.begin(),
            ):
                return work(connection)
        except SQLAlchemyError as error:
            raise self._failed(error) from error

    def _opened(self) -> Engine:
        if self._engine is None:
            made = sqlite.engine(self._url, self._busy_seconds)
            try:
                self._prepare(made)
            except BaseException:
                made.dispose()
                raise
            self._engine = made
        return self._engine

    def _prepare(self, made: Engine) -> None:
        try:
            with made.connect() as connection:
                if is_current(connection):
                    return
            sqlite.prepare(made, self._busy_seconds)
            with _transaction(made, writes=True) as connection:
                migrate(connection)
        except NewerSchema as newer:
            which = f"schema {newer.version}, this one knows {len(STEPS)}"
            raise StoreError(f"the session store {self.name} was written by a newer Rolebook ({which})") from None
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: BaseException) -> StoreError:
        cause = error.orig if isinstance(error, StatementError) and error.orig is not None else error
        return StoreError(f"the session store {self.name} can't be used: {sqlite.reason(cause)}")

    def _close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None


@contextmanager
def _transaction(engine: Engine, *, writes: bool) -> Iterator[Connection]:
    with engine.connect().execution_options(**{sqlite.WRITES: writes}) as connection, connection.begin():
        yield connection
