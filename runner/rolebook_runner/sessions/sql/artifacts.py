"""Artifacts in a database."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select

from rolebook_runner.artifacts.artifacts import USER, Artifact, checked, owner, shared
from rolebook_runner.sessions.sql import schema
from rolebook_runner.sessions.sql.database import Database
from rolebook_runner.sessions.store import SessionKey, now

_ARTIFACTS = schema.artifacts


class SqlArtifacts:
    """A row for each version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, key: SessionKey, name: str, data: bytes | str, mime: str | None = None) -> int:
        held, kind = checked(name, data, mime)
        whose = owner(key, name)

        def work(connection: Connection) -> int:
            newest = connection.scalar(select(func.max(_ARTIFACTS.c.version)).where(_named(key, name)))
            version = newest + 1 if newest is not None else 0
            row = {"app": whose.app, "user_id": whose.user, "session_id": whose.id, "name": name}
            connection.execute(insert(_ARTIFACTS).values(**row, version=version, mime=kind, saved=now(), data=held))
            return version

        return await self._database.write(work)

    async def load(self, key: SessionKey, name: str, version: int | None = None) -> Artifact | None:
        columns = _ARTIFACTS.c
        wanted = select(columns.name, columns.version, columns.mime, columns.data).where(_named(key, name))
        if version is not None:
            wanted = wanted.where(columns.version == version)
        newest = wanted.order_by(columns.version.desc()).limit(1)

        def work(connection: Connection) -> Artifact | None:
            row = connection.execute(newest).one_or_none()
            return Artifact(*row) if row is not None else None

        return await self._database.read(work)

    async def list(self, key: SessionKey) -> tuple[str, ...]:
        def work(connection: Connection) -> tuple[str, ...]:
            own = [name for name in _names(connection, key) if not shared(name)]
            return tuple(sorted([*own, *filter(shared, _names(connection, owner(key, USER)))]))

        return await self._database.read(work)

    async def versions(self, key: SessionKey, name: str) -> tuple[int, ...]:
        found = select(_ARTIFACTS.c.version).where(_named(key, name)).order_by(_ARTIFACTS.c.version)
        return await self._database.read(lambda connection: tuple(connection.scalars(found)))

    async def forget(self, key: SessionKey) -> None:
        def work(connection: Connection) -> None:
            for name in _names(connection, key):
                if not shared(name):
                    connection.execute(delete(_ARTIFACTS).where(_named(key, name)))

        await self._database.write(work)


def _of(key: SessionKey) -> ColumnElement[bool]:
    columns = _ARTIFACTS.c
    return and_(columns.app == key.app, columns.user_id == key.user, columns.session_id == key.id)


def _named(key: SessionKey, name: str) -> ColumnElement[bool]:
    return and_(_of(owner(key, name)), _ARTIFACTS.c.name == name)


def _names(connection: Connection, key: SessionKey) -> list[str]:
    return list(connection.scalars(select(_ARTIFACTS.c.name).where(_of(key)).distinct()))
