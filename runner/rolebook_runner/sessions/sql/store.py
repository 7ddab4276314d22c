"""The session store in a database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from rolebook.json import JsonValue
from rolebook.prompt.events import Event, event_from_json, event_to_json
from rolebook_runner.sessions.sql import statements
from rolebook_runner.sessions.sql.database import Database
from rolebook_runner.sessions.store import Conflict, SessionKey, StoreError, Summary, now, written


class SqlStore:
    """Sessions in a database. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, key: SessionKey, state: Mapping[str, JsonValue]) -> bool:
        def work(connection: Connection) -> bool:
            if _number(connection, key) is not None:
                return False
            time = now()
            row = {"app": key.app, "user_id": key.user, "id": key.id, "started": time, "updated": time, "events": 0}
            connection.execute(statements.CREATE, row)
            number = _existing(connection, key)
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
            stored = connection.scalars(statements.EVENTS, {"session": _existing(connection, key)})
            return tuple(event_from_json(data) for data in stored)

        return await self._database.read(work)

    async def state(self, key: SessionKey) -> dict[str, JsonValue]:
        return await self._database.read(lambda connection: _state(connection, key, _existing(connection, key)))

    async def append(self, key: SessionKey, event: Event, position: int) -> None:
        def work(connection: Connection) -> None:
            number = _existing(connection, key)
            expected = {"session": number, "before": position, "time": now()}
            if connection.execute(statements.COUNT, expected).rowcount != 1:
                raise Conflict(key)
            row = {"session": number, "position": position, "event": event_to_json(event)}
            connection.execute(statements.APPEND, row)
            _write(connection, key, number, written(event))

        await self._database.write(work)

    async def sessions(self) -> tuple[Summary, ...]:
        def work(connection: Connection) -> tuple[Summary, ...]:
            return tuple(_summary(row) for row in connection.execute(statements.LIST).mappings())

        return await self._database.read(work)

    async def delete(self, key: SessionKey) -> bool:
        def work(connection: Connection) -> bool:
            number = _number(connection, key)
            if number is not None:
                connection.execute(statements.DELETE, {"session": number})
            return number is not None

        return await self._database.write(work)

    async def aclose(self) -> None:
        await self._database.aclose()


def _summary(row: Mapping[Any, Any]) -> Summary:
    key = SessionKey(row["app"], row["user_id"], row["id"])
    opening = event_from_json(row["event"]).text if row["event"] is not None else ""
    return Summary(key, row["events"], row["started"], row["updated"], opening)


def _number(connection: Connection, key: SessionKey) -> int | None:
    number: int | None = connection.scalar(statements.NUMBER, {"app": key.app, "user": key.user, "id": key.id})
    return number


def _existing(connection: Connection, key: SessionKey) -> int:
    number = _number(connection, key)
    if number is None:
        raise KeyError(key)
    return number


def _state(connection: Connection, key: SessionKey, number: int) -> dict[str, JsonValue]:
    scopes = (statements.APP, statements.USER, statements.SESSION)
    return {name: value for scope in scopes for name, value in scope.read(connection, key, number).items()}


def _write(connection: Connection, key: SessionKey, number: int, values: Mapping[str, JsonValue]) -> None:
    for name, value in values.items():
        statements.scope_of(name).write(connection, key, number, name, value)
