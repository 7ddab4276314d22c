"""The tables as this version reads and writes them. `migrations` makes them, and a test holds the two together.

Only types that SQLite and PostgreSQL share. JSON is kept as text: an event is read and written whole, and it comes back
as it went in, key order and numbers included.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator


class Json(TypeDecorator[Any]):
    """A JSON value as text in ASCII, in which even a lone surrogate and a null character get through."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:  # noqa: ARG002
        return json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        return json.loads(value) if value is not None else None


class Escaped(TypeDecorator[str]):
    """Any text of the user's, with what isn't plain ASCII escaped as in JSON, for the same reason."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return json.dumps(value)[1:-1] if value is not None else None

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return json.loads(f'"{value}"') if value is not None else None


metadata = MetaData()

sessions = Table(
    "sessions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("app", Escaped, nullable=False),
    Column("user_id", Escaped, nullable=False),
    Column("id", Escaped, nullable=False),
    Column("started", String(32), nullable=False),
    Column("updated", String(32), nullable=False),
    Column("events", Integer, nullable=False),
    UniqueConstraint("app", "user_id", "id"),
)
"""`events` counts them. A writer that expects another number is refused."""


def _of_session() -> Column[int]:
    return Column("session", Integer, ForeignKey("sessions.number", ondelete="CASCADE"), primary_key=True)


events = Table(
    "events",
    metadata,
    _of_session(),
    Column("position", Integer, primary_key=True),
    Column("event", Json, nullable=False),
)

session_state = Table(
    "session_state",
    metadata,
    _of_session(),
    Column("name", Escaped, primary_key=True),
    Column("value", Json, nullable=False),
)

user_state = Table(
    "user_state",
    metadata,
    Column("app", Escaped, primary_key=True),
    Column("user_id", Escaped, primary_key=True),
    Column("name", Escaped, primary_key=True),
    Column("value", Json, nullable=False),
)

app_state = Table(
    "app_state",
    metadata,
    Column("app", Escaped, primary_key=True),
    Column("name", Escaped, primary_key=True),
    Column("value", Json, nullable=False),
)

memories = Table(
    "memories",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("app", Escaped, nullable=False),
    Column("user_id", Escaped, nullable=False),
    Column("session_id", Escaped, nullable=False),
    Column("author", Escaped, nullable=False),
    Column("text", Escaped, nullable=False),
    Column("time", String(40), nullable=False),
    Index("memories_by_session", "app", "user_id", "session_id"),
)
"""What can be recalled. The index of its words is the database's own affair."""

artifacts = Table(
    "artifacts",
    metadata,
    Column("app", Escaped, primary_key=True),
    Column("user_id", Escaped, primary_key=True),
    Column("session_id", Escaped, primary_key=True),
    Column("name", Escaped, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("mime", Escaped, nullable=False),
    Column("saved", String(32), nullable=False),
    Column("data", LargeBinary, nullable=False),
)
"""An empty `session_id` with a name that starts with `user:` stands for all sessions of the user."""

schema_version = Table("rolebook_schema", metadata, Column("version", Integer, nullable=False))
"""One row: how many of the `migrations` this database has been through."""
