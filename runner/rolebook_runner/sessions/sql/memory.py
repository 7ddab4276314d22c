"""The memory in a database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from rolebook_runner.memory.memory import LIMIT, Memo
from rolebook_runner.memory.words import asked, words
from rolebook_runner.sessions.sql import schema, sqlite
from rolebook_runner.sessions.sql.database import Database
from rolebook_runner.sessions.store import SessionKey

_MEMORIES = schema.memories
_ADD = insert(_MEMORIES)


class SqlMemory:
    """Texts in a table, their words in the database's full-text index, ranked by BM25."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: SessionKey, memos: Sequence[Memo]) -> None:
        def work(connection: Connection) -> None:
            for memo in memos:
                row = {
                    "app": key.app,
                    "user_id": key.user,
                    "session_id": key.id,
                    "author": memo.author,
                    "text": memo.text,
                    "time": memo.time,
                }
                number = connection.execute(_ADD, row).inserted_primary_key[0]  # type: ignore[index]
                sqlite.add_to_index(connection, number, words(memo.text))

        await self._database.write(work)

    async def search(self, app: str, user: str, query: str, limit: int = LIMIT) -> tuple[Memo, ...]:
        wanted = asked(query)
        if not wanted or limit <= 0:
            return ()
        index, matching, rank = sqlite.matches(wanted)
        columns = _MEMORIES.c
        found = (
            select(columns.session_id, columns.author, columns.text, columns.time)
            .select_from(_MEMORIES.join(index, matching))
            .where(columns.app == app, columns.user_id == user)
            .order_by(rank, columns.number.desc())
            .limit(limit)
        )
        return await self._database.read(lambda connection: tuple(Memo(*row) for row in connection.execute(found)))

    async def forget(self, key: SessionKey) -> None:
        def work(connection: Connection) -> None:
            sqlite.drop_from_index(connection, connection.scalars(select(_MEMORIES.c.number).where(_of(key))).all())
            connection.execute(delete(_MEMORIES).where(_of(key)))

        await self._database.write(work)


def _of(key: SessionKey) -> ColumnElement[bool]:
    columns = _MEMORIES.c
    return and_(columns.app == key.app, columns.user_id == key.user, columns.session_id == key.id)
