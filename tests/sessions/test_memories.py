"""What every memory does, held against each of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import ANN, ANN_TOO, BOB, ELSEWHERE, opened

from rolebook_runner.memory.memory import Memo, Memory
from rolebook_runner.memory.words import asked, words
from rolebook_runner.sessions.store import SessionKey


@pytest.fixture(params=["memory", "sqlite"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Memory, None]:
    storage = opened(request.param, tmp_path)
    yield storage.memory
    await storage.aclose()


async def add(memory: Memory, key: SessionKey, *texts: str) -> None:
    await memory.add(key, [Memo(key.id, "user", text, "2026-11-30T16:00:00+00:00") for text in texts])


async def found(memory: Memory, query: str, key: SessionKey = ANN, limit: int = 10) -> list[str]:
    return [memo.text for memo in await memory.search(key.app, key.user, query, limit)]


async def test_a_memo_comes_back_whole(memory: Memory) -> None:
    memo = Memo("1", "agent é", 'said "x" \0\ud800 日本', "2026-11-30T16:00:00+00:00")
    await memory.add(ANN, [memo])
    assert await memory.search("app", "ann", "said") == (memo,)


async def test_users_and_apps_have_memories_of_their_own(memory: Memory) -> None:
    for key in (ANN, ANN_TOO, BOB, ELSEWHERE):
        await add(memory, key, f"tea for {key}")
    assert sorted(await found(memory, "tea")) == sorted([f"tea for {ANN}", f"tea for {ANN_TOO}"])
    assert await found(memory, "tea", BOB) == [f"tea for {BOB}"]


async def test_the_best_match_is_first_and_the_limit_holds(memory: Memory) -> None:
    await add(memory, ANN, "green tea", "black coffee and tea", "nothing", "jasmine tea from China", "more tea")
    assert (await found(memory, "jasmine tea"))[0] == "jasmine tea from China"
    assert len(await found(memory, "tea", limit=2)) == 2
    assert [await found(memory, "tea", limit=limit) for limit in (0, -1)] == [[], []]


FINDS = [
    ("Grüße aus Zürich", "ZURICH", True),
    ("日本語の文章です", "文章", True),
    ("日本語の文章です", "文", True),
    ("日本語の文章です", "章文", False),
    ("서울에서 만나요", "서울", True),
    ("the key is snake_case", "snake", True),
    ("call 555-1234", "1234", True),
    ("it's Ann's", "ann", True),
    ("NOT a b", "NOT", True),
    ("column words : x", "words", True),
    ("plain", "plainly-not OR", False),
    ("text", '"', False),
    ("text", "", False),
    ("text", "* ^ - + ( ) : {", False),
    ("text", "NEAR(other, 2) AND rowid", False),
    ("text", "te*", False),
]


@pytest.mark.parametrize(("text", "query", "there"), FINDS)
async def test_what_is_found_by_what(memory: Memory, text: str, query: str, there: bool) -> None:
    await add(memory, ANN, text)
    assert await found(memory, query) == ([text] if there else [])


async def test_english_words_are_found_by_their_stem(tmp_path: Path) -> None:
    storage = opened("sqlite", tmp_path)
    await add(storage.memory, ANN, "Two invoices were paid")
    assert await found(storage.memory, "paying an invoice") == ["Two invoices were paid"]
    await storage.aclose()


async def test_a_forgotten_session_is_found_no_more(memory: Memory) -> None:
    await add(memory, ANN, "tea")
    await add(memory, ANN_TOO, "tea too")
    await memory.forget(ANN)
    assert await found(memory, "tea") == ["tea too"]
    await memory.forget(ANN)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_any_text_can_be_kept_and_asked_for(kind: str, tmp_path: Path) -> None:
    storage = opened(kind, tmp_path)
    examples: list[tuple[str, str]] = []

    @settings(max_examples=60)
    @given(st.text(max_size=40), st.text(max_size=40))
    def collect(text: str, query: str) -> None:
        examples.append((text, query))

    collect()
    for text, query in examples:
        await add(storage.memory, ANN, text)
        await found(storage.memory, query)
    await storage.aclose()


def test_a_long_query_is_cut() -> None:
    assert len(asked(" ".join(map(str, range(1000))))) == 64
    assert len(asked("日本語文章" * 1000)) <= 64
    assert list(words("Straße, İzmir!")) == ["strasse", "izmir"]
