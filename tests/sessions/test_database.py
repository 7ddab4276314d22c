"""The database under the sessions: its schema and older ones, several processes, and files that can't be used."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, MetaData, inspect
from sqlalchemy.engine import URL
from stores import ANN, BOB, event, opened, write

from rolebook_runner.sessions.sql import migrations, schema, sqlite
from rolebook_runner.sessions.sql.database import Database
from rolebook_runner.sessions.sql.store import SqlStore
from rolebook_runner.sessions.store import Conflict, StoreError

VERSION_1 = (Path(__file__).parents[1] / "data" / "sessions" / "schema-1.sql").read_text(encoding="utf-8")


def file_of(folder: Path, sql: str) -> str:
    """A database that holds what the SQL makes."""
    path = str(folder / "sessions.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
    return path


def rows(path: str, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def database(path: str, **query: str) -> Database:
    name = f"file:{path}" if query else path
    return Database(URL.create("sqlite", database=name, query=query), "FILE", busy_seconds=0.05)


async def test_a_file_of_schema_version_1_is_upgraded_with_all_that_it_holds(tmp_path: Path) -> None:
    path = file_of(tmp_path, VERSION_1)
    storage = opened("sqlite", tmp_path)
    events = await storage.store.events(ANN)
    assert [stored.text for stored in events if stored.text] == ["How's the weather in Zürich?", "Zürich: 72 °F"]
    expected = {"app:plan": "pro", "user:lang": "de", "mood": "good", "city": "Zürich", "last": 72}
    assert await storage.store.state(ANN) == expected
    await write(storage.store, ANN)
    assert await storage.store.delete(BOB)
    await storage.aclose()
    assert rows(path, "SELECT version FROM rolebook_schema") == [(len(migrations.STEPS),)]


def shape(connection: Connection) -> dict[str, Any]:
    """Tables, columns, keys: what a database really has."""
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in schema.metadata.tables)
    return described(found)


def described(tables: MetaData) -> dict[str, Any]:
    return {
        table.name: (
            [(column.name, type_of(column), column.nullable) for column in table.columns],
            [column.name for column in table.primary_key],
            {key.target_fullname for key in table.foreign_keys},
        )
        for table in tables.sorted_tables
    }


def type_of(column: Any) -> str:
    return str(column.type.compile(dialect=SQLITE))


SQLITE = sqlite.engine(URL.create("sqlite")).dialect


@pytest.mark.parametrize("sql", ["", VERSION_1], ids=["an empty file", "schema 1"])
async def test_migrations_make_the_tables_that_queries_expect(tmp_path: Path, sql: str) -> None:
    made = database(file_of(tmp_path, sql))
    assert await made.read(shape) == described(schema.metadata)
    indexes = await made.read(lambda connection: inspect(connection).get_unique_constraints("sessions"))
    assert [index["column_names"] for index in indexes] == [["app", "user_id", "id"]]
    await made.aclose()


async def test_a_migration_is_done_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(tmp_path, VERSION_1)

    def half_a_step(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (x INTEGER)")
        connection.exec_driver_sql("CREATE TABLE sessions (x INTEGER)")

    monkeypatch.setattr(migrations, "STEPS", (migrations.STEPS[0], half_a_step))
    broken = database(path)
    with pytest.raises(StoreError, match="table sessions already exists"):
        await broken.read(lambda _: None)
    await broken.aclose()
    assert rows(path, "SELECT version FROM rolebook_schema") == [(1,)]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name = 'half'") == []


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = file_of(tmp_path, VERSION_1 + "UPDATE rolebook_schema SET version = 99;")
    store = SqlStore(database(path))
    with pytest.raises(StoreError) as refused:
        await store.sessions()
    newest = len(migrations.STEPS)
    assert str(refused.value) == (
        f"the session store FILE was written by a newer Rolebook (schema 99, this one knows {newest})"
    )
    await store.aclose()
    assert rows(path, "SELECT version FROM rolebook_schema") == [(99,)]


async def test_someone_elses_database_is_not_written_into(tmp_path: Path) -> None:
    path = file_of(tmp_path, "CREATE TABLE events (mine TEXT);")
    store = SqlStore(database(path))
    with pytest.raises(StoreError, match="table events already exists"):
        await store.sessions()
    await store.aclose()
    assert rows(path, "SELECT name FROM sqlite_master") == [("events",)]


async def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    stores = [SqlStore(Database(URL.create("sqlite", database=str(tmp_path / "new.db")), "FILE")) for _ in range(8)]
    made = await asyncio.gather(*(store.create(ANN, {}) for store in stores))
    assert sorted(made) == [False] * 7 + [True]
    await asyncio.gather(*(store.aclose() for store in stores))


async def test_a_second_process_writes_to_other_sessions_but_not_to_this_one(tmp_path: Path) -> None:
    first, second = opened("sqlite", tmp_path), opened("sqlite", tmp_path)
    await first.store.create(ANN, {})
    await second.store.create(BOB, {})
    await first.store.append(ANN, event("1"), 0)
    await second.store.append(BOB, event("1"), 0)
    with pytest.raises(Conflict):
        await second.store.append(ANN, event("2"), 0)
    assert len(await second.store.events(ANN)) == 1
    await first.aclose()
    await second.aclose()


async def test_the_event_loop_never_waits_for_the_database(tmp_path: Path) -> None:
    at_work, go_on = threading.Event(), threading.Event()
    held = database(str(tmp_path / "sessions.db"))

    def slow(_: Connection) -> None:
        at_work.set()
        go_on.wait(60)

    task = asyncio.create_task(held.read(slow))
    while not at_work.is_set():
        await asyncio.sleep(0)  # the loop turns while the database is busy
    go_on.set()
    await task
    await held.aclose()


async def test_what_has_begun_is_finished_before_a_cancellation_gets_through(tmp_path: Path) -> None:
    made = database(str(tmp_path / "sessions.db"))
    at_work, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def slow(_: Connection) -> None:
        at_work.set()
        go_on.wait(60)
        done.append("written")

    begun = asyncio.create_task(made.write(slow))
    waiting = asyncio.create_task(made.write(lambda _: done.append("never")))
    while not at_work.is_set():
        await asyncio.sleep(0)
    begun.cancel()
    waiting.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert [type(result) for result in await asyncio.gather(begun, waiting, return_exceptions=True)] == [
        asyncio.CancelledError
    ] * 2
    await made.aclose()
    assert done == ["written"]


def no_database(_: Path, path: str) -> None:
    Path(path).write_bytes(b"Dear diary, " * 1000)


def damaged(_: Path, path: str) -> None:
    data = bytearray(Path(path).read_bytes())
    data[100:] = b"\xa5" * (len(data) - 100)
    Path(path).write_bytes(data)


def a_folder(_: Path, path: str) -> None:
    Path(path).unlink()
    Path(path).mkdir()


UNUSABLE: dict[str, tuple[Callable[[Path, str], None], str]] = {
    "no database": (no_database, "it is no SQLite database"),
    "a damaged one": (damaged, "the file is damaged"),
    "a folder": (a_folder, "it can't be opened"),
}


@pytest.mark.parametrize(("spoil", "reason"), UNUSABLE.values(), ids=UNUSABLE)
async def test_a_file_that_cannot_be_used(tmp_path: Path, spoil: Callable[[Path, str], None], reason: str) -> None:
    path = file_of(tmp_path, VERSION_1)
    spoil(tmp_path, path)
    store = SqlStore(database(path))
    for wanted in (store.create(ANN, {}), store.events(ANN), store.append(ANN, event(), 0), store.sessions()):
        with pytest.raises(StoreError) as failed:
            await wanted
        assert str(failed.value) == f"the session store FILE can't be used: {reason}"
    await store.aclose()


async def test_a_locked_file(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    store = SqlStore(database(path))
    await store.create(ANN, {})
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"can't be used: another process keeps it locked$"):
            await store.append(ANN, event(), 0)
        assert await store.events(ANN) == ()
        other.execute("ROLLBACK")
    await store.append(ANN, event(), 0)
    await store.aclose()


async def test_a_file_that_can_only_be_read(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    writer = SqlStore(database(path))
    await writer.create(ANN, {"a": 1})
    await writer.aclose()
    store = SqlStore(database(path, mode="ro", uri="true"))
    assert await store.state(ANN) == {"a": 1}
    with pytest.raises(StoreError, match=r"can't be used: it is read-only$"):
        await store.append(ANN, event(), 0)
    await store.aclose()


async def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqlStore(database(str(tmp_path / "sessions.db")))
    await store.create(ANN, {})
    await store.aclose()
    monkeypatch.setattr(sqlite, "_PRAGMAS", ("max_page_count = 40",))
    store = SqlStore(database(str(tmp_path / "sessions.db")))
    with pytest.raises(StoreError, match=r"can't be used: the disk is full$"):
        for position in range(1000):
            await store.append(ANN, event(str(position), {"n": position}, "x" * 4000), position)
    stored = await store.events(ANN)
    assert stored and await store.state(ANN) == {"n": len(stored) - 1}
    await store.aclose()


async def test_what_json_cannot_hold_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    store = SqlStore(database(str(tmp_path / "sessions.db")))
    await store.create(ANN, {})
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (10**5000, deep):
        with pytest.raises(StoreError, match="can't be used"):
            await store.append(ANN, event(state={"x": value}), 0)
    assert (await store.events(ANN), await store.state(ANN)) == ((), {})
    await store.aclose()
