"""All that is SQLite's own: how a connection is set up, its errors in words, and the full-text index (FTS5).

WAL lets others read while a run writes, and with `synchronous = NORMAL` a commit doesn't wait for the disk: what is
committed outlives the process, however that ends. A power cut may take the last moments with it, but damages nothing.
FULL would keep those too, at 0.5 ms an event on an idle SSD and 5 ms on a busy one, which hundreds of sessions at once
would all wait for.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Float,
    FromClause,
    Integer,
    and_,
    column,
    create_engine,
    event,
    literal_column,
    table,
    text,
)
from sqlalchemy.engine import URL

from rolebook_runner.sessions.sql.schema import memories

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
_PRAGMAS = ("foreign_keys = ON", "synchronous = NORMAL")
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


def create_index(connection: Connection) -> None:
    """Makes the index over the words of `memories`. English words are found by their stems."""
    connection.exec_driver_sql("CREATE VIRTUAL TABLE memory_index USING fts5(words, tokenize = 'porter unicode61')")


def add_to_index(connection: Connection, number: int, words: Iterable[str]) -> None:
    connection.exec_driver_sql("INSERT INTO memory_index (rowid, words) VALUES (?, ?)", (number, " ".join(words)))


def drop_from_index(connection: Connection, numbers: Iterable[int]) -> None:
    for number in numbers:
        connection.exec_driver_sql("DELETE FROM memory_index WHERE rowid = ?", (number,))


def matches(words: Sequence[str]) -> tuple[FromClause, ColumnElement[bool], ColumnElement[float]]:
    """The index to join with `memories`, what holds for a match, and its rank, the best one first.

    Each word is quoted, so none is an operator.
    """
    index = table("memory_index", column("rowid", Integer))
    query = " OR ".join(f'"{word}"' for word in words)
    on = and_(index.c.rowid == memories.c.number, text("memory_index MATCH :words").bindparams(words=query))
    return index, on, literal_column("bm25(memory_index)", Float)
