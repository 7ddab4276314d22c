"""Whatever is done to them, the store in a file and the one in memory say the same."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from stores import event, opened

from rolebook_runner.sessions.storage import Storage
from rolebook_runner.sessions.store import Conflict, SessionKey, Store

KEYS = st.builds(SessionKey, st.sampled_from("ab"), st.sampled_from("uv"), st.sampled_from(["1", "2", "é\0"]))
NAMES = st.sampled_from(["x", "user:x", "app:x", "users:x"]) | st.text(max_size=3)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
STATES = st.dictionaries(NAMES, VALUES, max_size=4)


class Stores(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.loop = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.memory = opened("memory", Path())
        self.file: Storage = opened("sqlite", Path(self.folder.name))
        self.written = 0

    def both(self, ask: Callable[[Store], Awaitable[object]]) -> None:
        """Asks both; the answers, or what they raise, are equal."""

        async def outcome(store: Store) -> object:
            try:
                return await ask(store)
            except (KeyError, Conflict) as error:
                return type(error), str(error)

        async def compare() -> None:
            assert await outcome(self.file.store) == await outcome(self.memory.store)

        self.loop.run(compare())

    @rule(key=KEYS, state=STATES)
    def create(self, key: SessionKey, state: dict[str, Any]) -> None:
        self.both(lambda store: store.create(key, state))
        self.both(lambda store: store.state(key))

    @rule(key=KEYS, state=STATES, off_by=st.sampled_from([0, 0, 0, 1, -1]))
    def append(self, key: SessionKey, state: dict[str, Any], off_by: int) -> None:
        self.written += 1
        added = event(str(self.written), state, f"text {self.written}")

        async def write(store: Store) -> None:
            await store.append(key, added, len(await store.events(key)) + off_by)

        self.both(write)
        self.both(lambda store: store.events(key))
        self.both(lambda store: store.state(key))

    @rule(key=KEYS)
    def delete(self, key: SessionKey) -> None:
        self.both(lambda store: store.delete(key))

    @rule()
    def reopen(self) -> None:
        self.loop.run(self.file.aclose())
        self.file = opened("sqlite", Path(self.folder.name))

    def teardown(self) -> None:
        async def listed(store: Store) -> object:
            return {(summary.key, summary.events, summary.opening) for summary in await store.sessions()}

        self.both(listed)
        keys = self.loop.run(self.memory.store.sessions())
        for summary in keys:
            key = summary.key
            self.both(lambda store, key=key: store.events(key))  # type: ignore[misc]
            self.both(lambda store, key=key: store.state(key))  # type: ignore[misc]
        self.loop.run(self.file.aclose())
        self.loop.close()
        self.folder.cleanup()


TestStores = Stores.TestCase
TestStores.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
