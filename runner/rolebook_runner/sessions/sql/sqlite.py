"""All that is SQLite's own: how a connection is set up, and its errors in words.

WAL lets others read while a run writes. `synchronous` is FULL: a commit waits for the disk, so that an event that was
told is there even after a power cut. That costs about half a millisecond an event on an SSD, beside model calls that
take hundreds.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL

BUSY_SECONDS = 5.0
"""How long a connection waits for another process that is writing."""

_REASONS = {
    sqlite3.SQLITE_BUSY: "another process keeps it locked",
    sqlite3.SQLITE_LOCKED: "another process keeps it locked",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "it is no SQLite database",
    sqlite3.SQLITE_CANTOPEN: "it can't be opened",
    sqlite3.SQLITE_PERM: "permission is denied",
    sqlite3.SQLITE_IOERR: "the disk can't be read or written",
    sqlite3.SQLITE_TOOBIG: "a value is too large",
}
_PRAGMAS = ("foreign_keys = ON", "synchronous = FULL")
WRITES = "rolebook_writes"
"""The execution option of a connection whose transactions write."""


def engine(url: URL, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """An engine whose connections may be used in any thread, by one at a time."""
    made = create_engine(url, connect_args={"timeout": busy_seconds, "check_same_thread": False})

    @event.listens_for(made, "connect")
    def connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where SQLAlchemy says so, not at the first write
        with closing(connection.cursor()) as cursor:
            for pragma in _PRAGMAS:
                cursor.execute(f"PRAGMA {pragma}")

    @event.listens_for(made, "begin")
    def began(connection: Connection) -> None:
        # A transaction that reads first and writes then would fail where another wrote in between.
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return made


def prepare(made: Engine, busy_seconds: float = BUSY_SECONDS) -> None:
    """Turns WAL on where it is off. SQLite doesn't wait there for others that open the file at the same time; we do."""
    until = time.monotonic() + busy_seconds
    with closing(made.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        while cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
                return  # a file system without shared memory keeps its mode, which is as safe and only slower
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.02)


def reason(error: BaseException) -> str:
    """Why the database couldn't do it, as a clause."""
    code = getattr(error, "sqlite_errorcode", None)
    return _REASONS.get(code & 0xFF if isinstance(code, int) else -1) or " ".join(str(error).split())
