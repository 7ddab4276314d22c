"""The session store in a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from rolebook.json import JsonValue
from rolebook.prompt.events import Event, event_from_json, event_to_json
from rolebook_runner.sessions.sql import schema
from rolebook_runner.sessions.sql.database import Database
from rolebook_runner.sessions.store import Conflict, SessionKey, StoreError, Summary, now, written

_SESSIONS, _EVENTS = schema.sessions, schema.events


class SqlStore:
    """Sessions in a database. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, key: SessionKey, state: Mapping[str, JsonValue]) -> bool:
        def work(connection: Connection) -> bool:
            if _number(connection, key) is not None:
                return False
            time = now()
            made = insert(_SESSIONS).values(
                app=key.app, user_id=key.user, id=key.id, started=time, updated=time, events=0
            )
            number = connection.execute(made).inserted_primary_key[0]  # type: ignore[index]
            present = _state(connection, key, number)
            _write(connection, key, number, {name: value for name, value in state.items() if name not in present})
            return True

        try:
            return await self._database.write(work)
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):  # another run made it at the same moment
                return False
            raise

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        def work(connection: Connection) -> tuple[Event, ...]:
            stored = select(_EVENTS.c.event).where(_EVENTS.c.session == _existing(connection, key))
            return tuple(event_from_json(data) for data in connection.scalars(stored.order_by(_EVENTS.c.position)))

        return await self._database.read(work)

    async def state(self, key: SessionKey) -> dict[str, JsonValue]:
        return await self._database.read(lambda connection: _state(connection, key, _existing(connection, key)))

    async def append(self, key: SessionKey, event: Event, position: int) -> None:
        def work(connection: Connection) -> None:
            number = _existing(connection, key)
            counted = (
                update(_SESSIONS)
                .where(_SESSIONS.c.number == number, _SESSIONS.c.events == position)
                .values(events=position + 1, updated=now())
            )
            if connection.execute(counted).rowcount != 1:
                raise Conflict(key)
            connection.execute(insert(_EVENTS).values(session=number, position=position, event=event_to_json(event)))
            _write(connection, key, number, written(event))

        await self._database.write(work)

    async def sessions(self) -> tuple[Summary, ...]:
        first = and_(_EVENTS.c.session == _SESSIONS.c.number, _EVENTS.c.position == 0)
        listed = (
            select(_SESSIONS, _EVENTS.c.event)
            .select_from(_SESSIONS.outerjoin(_EVENTS, first))
            .order_by(_SESSIONS.c.updated.desc(), _SESSIONS.c.number)
        )
        return await self._database.read(
            lambda connection: tuple(_summary(row) for row in connection.execute(listed).mappings())
        )

    async def delete(self, key: SessionKey) -> bool:
        def work(connection: Connection) -> bool:
            number = _number(connection, key)
            if number is not None:
                connection.execute(delete(_SESSIONS).where(_SESSIONS.c.number == number))
            return number is not None

        return await self._database.write(work)

    async def aclose(self) -> None:
        await self._database.aclose()


def _summary(row: Mapping[Any, Any]) -> Summary:
    key = SessionKey(row["app"], row["user_id"], row["id"])
    opening = event_from_json(row["event"]).text if row["event"] is not None else ""
    return Summary(key, row["events"], row["started"], row["updated"], opening)


def _number(connection: Connection, key: SessionKey) -> int | None:
    columns = _SESSIONS.c
    found = select(columns.number).where(columns.app == key.app, columns.user_id == key.user, columns.id == key.id)
    number: int | None = connection.scalar(found)
    return number


def _existing(connection: Connection, key: SessionKey) -> int:
    number = _number(connection, key)
    if number is None:
        raise KeyError(key)
    return number


def _owners(key: SessionKey, number: int) -> Iterator[tuple[Table, dict[str, object]]]:
    """The tables that hold state which the session sees, each with the values that tell whose rows are meant."""
    yield schema.app_state, {"app": key.app}
    yield schema.user_state, {"app": key.app, "user_id": key.user}
    yield schema.session_state, {"session": number}


def _owner(key: SessionKey, number: int, name: str) -> tuple[Table, dict[str, object]]:
    app, user, session = _owners(key, number)
    return app if name.startswith("app:") else user if name.startswith("user:") else session


def _state(connection: Connection, key: SessionKey, number: int) -> dict[str, JsonValue]:
    state: dict[str, JsonValue] = {}
    for table, owner in _owners(key, number):
        rows = connection.execute(select(table.c.name, table.c.value).filter_by(**owner).order_by(table.c.name))
        state.update({row.name: row.value for row in rows})
    return state


def _write(connection: Connection, key: SessionKey, number: int, values: Mapping[str, JsonValue]) -> None:
    for name, value in values.items():
        table, owner = _owner(key, number, name)
        if value is None:
            connection.execute(delete(table).filter_by(**owner, name=name))
        elif connection.execute(update(table).filter_by(**owner, name=name).values(value=value)).rowcount == 0:
            connection.execute(insert(table).values(**owner, name=name, value=value))
