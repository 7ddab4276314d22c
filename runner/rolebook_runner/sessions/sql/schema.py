"""The tables as this version reads and writes them. `migrations` makes them, and a test holds the two together.

Only types that SQLite and PostgreSQL share. JSON is kept as text: an event is read and written whole, and it comes back
as it went in, key order and numbers included.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Column, ForeignKey, Integer, MetaData, String, Table, Text, UniqueConstraint
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

schema_version = Table("rolebook_schema", metadata, Column("version", Integer, nullable=False))
"""One row: how many of the `migrations` this database has been through."""
