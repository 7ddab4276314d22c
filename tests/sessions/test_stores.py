"""What every session store does, held against each of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from stores import ANN, ANN_TOO, BOB, ELSEWHERE, event, opened, write

from rolebook.prompt.events import Event, FunctionCall, FunctionResponse, OtherPart, TextPart
from rolebook_runner.sessions.store import Conflict, SessionKey, Store

ALL = (ANN, ANN_TOO, BOB, ELSEWHERE)


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store, None]:
    storage = opened(request.param, tmp_path)
    yield storage.store
    await storage.aclose()


async def test_who_shares_which_state(store: Store) -> None:
    for key in ALL:
        await store.create(key, {})
    await write(store, ANN, {"own": 1, "user:lang": "de", "app:plan": "pro"})
    assert await store.state(ANN) == {"own": 1, "user:lang": "de", "app:plan": "pro"}
    assert await store.state(ANN_TOO) == {"user:lang": "de", "app:plan": "pro"}
    assert await store.state(BOB) == {"app:plan": "pro"}
    assert await store.state(ELSEWHERE) == {}


async def test_null_deletes(store: Store) -> None:
    await store.create(ANN, {"a": 1, "user:b": 2})
    await write(store, ANN, {"a": None, "user:b": None, "never": None})
    assert await store.state(ANN) == {}


async def test_a_session_is_made_once_and_shared_state_is_kept(store: Store) -> None:
    assert await store.create(ANN, {"a": 1, "user:b": 1})
    assert not await store.create(ANN, {"a": 2})
    assert await store.create(ANN_TOO, {"a": 3, "user:b": 2, "app:c": 4})
    assert await store.state(ANN) == {"a": 1, "user:b": 1, "app:c": 4}
    assert await store.state(ANN_TOO) == {"a": 3, "user:b": 1, "app:c": 4}


async def test_an_unknown_session_is_an_error_and_gets_nothing(store: Store) -> None:
    for wanted in (store.events(ANN), store.state(ANN), store.append(ANN, event(state={"app:x": 1}), 0)):
        with pytest.raises(KeyError):
            await wanted
    await store.create(ANN_TOO, {})
    assert await store.state(ANN_TOO) == {}


async def test_a_second_writer_is_refused_and_leaves_nothing(store: Store) -> None:
    await store.create(ANN, {})
    await store.append(ANN, event("1", {"x": 1}), 0)
    for position in (0, 2):
        with pytest.raises(Conflict, match=r"another run writes to this session \(`1`\)"):
            await store.append(ANN, event("2", {"x": 2}), position)
    assert [stored.id for stored in await store.events(ANN)] == ["1"]
    assert await store.state(ANN) == {"x": 1}


async def test_events_come_back_as_they_went_in(store: Store) -> None:
    odd = 'quote " and \\ and \0, \ud800 alone, \u2028, 日本 🎈'
    given = [
        Event(1, "user", None, (TextPart(odd),), "i"),
        Event(2.5, "a", "root.a", (FunctionCall("", "f", {"z": [1, 2.0, None], "a": {odd: True}}),), 7),
        Event("c", odd, odd, (FunctionResponse("x", "f", odd), OtherPart({"image": {"b": 1}}))),
        Event("d", "system:compaction", None, (), None, "c", (1, 2.5, "c"), {"usage": {"n": 10**30}}),
    ]
    await store.create(ANN, {})
    for position, one in enumerate(given):
        await store.append(ANN, one, position)
    assert list(await store.events(ANN)) == given


async def test_names_of_any_form_are_kept_apart(store: Store) -> None:
    names = ["", "a", "A", "ä", "a\u0308", "\\u00e4", '"', "\0", "\ud800", "%", "user:", "app:"]
    keys = [SessionKey(name, other, name) for name in names for other in names[:3]]
    for key in keys:
        assert await store.create(key, {f"k{key.id}": key.user})
    for key in keys:
        assert await store.state(key) == {f"k{key.id}": key.user}
    assert {summary.key for summary in await store.sessions()} == set(keys)


async def test_the_list_has_the_latest_first(store: Store) -> None:
    for key in ALL:
        await store.create(key, {})
    await write(store, BOB, text="Hello")
    await write(store, BOB, text="Hi")
    first, *_ = listed = await store.sessions()
    assert len(listed) == 4
    assert (first.key, first.events, first.opening) == (BOB, 2, "Hello")
    assert first.started <= first.updated
    assert {summary.opening for summary in listed[1:]} == {""}


async def test_a_deleted_session_leaves_only_what_is_shared(store: Store) -> None:
    await store.create(ANN, {"own": 1, "user:b": 1})
    await store.create(BOB, {"own": 2})
    await write(store, ANN)
    assert await store.delete(ANN)
    assert not await store.delete(ANN)
    with pytest.raises(KeyError):
        await store.events(ANN)
    await store.create(ANN, {})
    assert (await store.events(ANN), await store.state(ANN)) == ((), {"user:b": 1})
    assert await store.state(BOB) == {"own": 2}
