"""The statements of the session store, made once: to make one takes far longer than to run it."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, Table, and_, bindparam, delete, insert, select, update

from rolebook.json import JsonValue
from rolebook_runner.sessions.sql import schema
from rolebook_runner.sessions.store import SessionKey

_SESSIONS, _EVENTS = schema.sessions, schema.events

NUMBER = select(_SESSIONS.c.number).where(
    _SESSIONS.c.app == bindparam("app"), _SESSIONS.c.user_id == bindparam("user"), _SESSIONS.c.id == bindparam("id")
)
CREATE = insert(_SESSIONS)
DELETE = delete(_SESSIONS).where(_SESSIONS.c.number == bindparam("session"))
COUNT = (
    update(_SESSIONS)
    .where(_SESSIONS.c.number == bindparam("session"), _SESSIONS.c.events == bindparam("before"))
    .values(events=_SESSIONS.c.events + 1, updated=bindparam("time"))
)
"""Counts one more event where there are as many `before` as the writer knows of."""

APPEND = insert(_EVENTS)
EVENTS = select(_EVENTS.c.event).where(_EVENTS.c.session == bindparam("session")).order_by(_EVENTS.c.position)
LIST = (
    select(_SESSIONS, _EVENTS.c.event)
    .select_from(_SESSIONS.outerjoin(_EVENTS, and_(_EVENTS.c.session == _SESSIONS.c.number, _EVENTS.c.position == 0)))
    .order_by(_SESSIONS.c.updated.desc(), _SESSIONS.c.number)
)


class Scope:
    """State that is owned together: reading and writing it in one table. `owner` names the columns that say whose."""

    def __init__(self, table: Table, *owner: str) -> None:
        self._owner = owner
        owned = [table.c[name] == bindparam(f"of_{name}") for name in owner]
        one = [*owned, table.c.name == bindparam("of_name")]
        self._read = select(table.c.name, table.c.value).where(*owned).order_by(table.c.name)
        self._insert = insert(table)
        self._update = update(table).where(*one).values(value=bindparam("new"))
        self._delete = delete(table).where(*one)

    def read(self, connection: Connection, key: SessionKey, number: int) -> dict[str, JsonValue]:
        rows = connection.execute(self._read, self._whose(key, number, "of_"))
        return {row.name: row.value for row in rows}

    def write(self, connection: Connection, key: SessionKey, number: int, name: str, value: JsonValue) -> None:
        """Sets one name; null deletes."""
        which = {**self._whose(key, number, "of_"), "of_name": name}
        if value is None:
            connection.execute(self._delete, which)
        elif connection.execute(self._update, {**which, "new": value}).rowcount == 0:
            connection.execute(self._insert, {**self._whose(key, number), "name": name, "value": value})

    def _whose(self, key: SessionKey, number: int, prefix: str = "") -> Mapping[str, object]:
        values = {"app": key.app, "user_id": key.user, "session": number}
        return {f"{prefix}{name}": values[name] for name in self._owner}


APP = Scope(schema.app_state, "app")
USER = Scope(schema.user_state, "app", "user_id")
SESSION = Scope(schema.session_state, "session")


def scope_of(name: str) -> Scope:
    """Where a state key is kept, by its prefix."""
    return APP if name.startswith("app:") else USER if name.startswith("user:") else SESSION
