"""How a database gets from each schema version to the next one.

A step is never changed once it was released: files made by it are out there. So it spells out its tables as they were
then, rather than taking them from `schema`, which goes on changing.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    update,
)

from rolebook_runner.sessions.sql import sqlite
from rolebook_runner.sessions.sql.schema import schema_version


class NewerSchema(Exception):
    """The database was made by a version of Rolebook that this one knows nothing of; `version` is its schema's."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


def version_of(connection: Connection) -> int:
    """The schema version of the database, 0 of an empty one."""
    if not inspect(connection).has_table(schema_version.name):
        return 0
    return connection.scalar(select(schema_version.c.version)) or 0


def is_current(connection: Connection) -> bool:
    """Whether there is nothing to do. Raises NewerSchema."""
    version = version_of(connection)
    if version > len(STEPS):
        raise NewerSchema(version)
    return version == len(STEPS)


def migrate(connection: Connection) -> None:
    """Takes the database to the current schema, in the caller's transaction. Raises NewerSchema."""
    if is_current(connection):
        return
    version = version_of(connection)
    for step in STEPS[version:]:
        step(connection)
    if version == 0:
        connection.execute(insert(schema_version).values(version=len(STEPS)))
    else:
        connection.execute(update(schema_version).values(version=len(STEPS)))


def _sessions_events_state(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "sessions",
        tables,
        Column("number", Integer, primary_key=True),
        Column("app", Text, nullable=False),
        Column("user_id", Text, nullable=False),
        Column("id", Text, nullable=False),
        Column("started", String(32), nullable=False),
        Column("updated", String(32), nullable=False),
        Column("events", Integer, nullable=False),
        UniqueConstraint("app", "user_id", "id"),
    )
    Table(
        "events",
        tables,
        Column("session", Integer, ForeignKey("sessions.number", ondelete="CASCADE"), primary_key=True),
        Column("position", Integer, primary_key=True),
        Column("event", Text, nullable=False),
    )
    Table(
        "session_state",
        tables,
        Column("session", Integer, ForeignKey("sessions.number", ondelete="CASCADE"), primary_key=True),
        Column("name", Text, primary_key=True),
        Column("value", Text, nullable=False),
    )
    Table(
        "user_state",
        tables,
        Column("app", Text, primary_key=True),
        Column("user_id", Text, primary_key=True),
        Column("name", Text, primary_key=True),
        Column("value", Text, nullable=False),
    )
    Table(
        "app_state",
        tables,
        Column("app", Text, primary_key=True),
        Column("name", Text, primary_key=True),
        Column("value", Text, nullable=False),
    )
    Table("rolebook_schema", tables, Column("version", Integer, nullable=False))
    tables.create_all(connection, checkfirst=False)


def _memories_artifacts(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "memories",
        tables,
        Column("number", Integer, primary_key=True),
        Column("app", Text, nullable=False),
        Column("user_id", Text, nullable=False),
        Column("session_id", Text, nullable=False),
        Column("author", Text, nullable=False),
        Column("text", Text, nullable=False),
        Column("time", String(40), nullable=False),
        Index("memories_by_session", "app", "user_id", "session_id"),
    )
    Table(
        "artifacts",
        tables,
        Column("app", Text, primary_key=True),
        Column("user_id", Text, primary_key=True),
        Column("session_id", Text, primary_key=True),
        Column("name", Text, primary_key=True),
        Column("version", Integer, primary_key=True),
        Column("mime", Text, nullable=False),
        Column("saved", String(32), nullable=False),
        Column("data", LargeBinary, nullable=False),
    )
    tables.create_all(connection, checkfirst=False)
    sqlite.create_index(connection)


STEPS: tuple[Callable[[Connection], None], ...] = (_sessions_events_state, _memories_artifacts)
"""The step at index n makes schema n + 1 of schema n."""
