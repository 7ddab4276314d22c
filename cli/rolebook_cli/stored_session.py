"""A stored session as something to compile for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from rolebook.project.tree import Tree
from rolebook_cli.found_sessions import find_session, with_storage
from rolebook_cli.storage import chosen_location, run_text
from rolebook_cli.values import Conversation

if TYPE_CHECKING:
    from rolebook_runner.sessions.storage import Storage
    from rolebook_runner.sessions.store import SessionKey

T = TypeVar("T")


def read_session(id: str, store: str | None, tree: Tree) -> Conversation:
    """The session of the tree's app with this id, or the only one whose id starts so. Raises Failure."""

    async def read(storage: Storage, key: SessionKey) -> Conversation:
        from rolebook_runner.artifacts.prompt import artifact_texts, filled

        artifacts: dict[str, str] = {}
        for place in tree:
            artifacts |= filled(await artifact_texts(storage.artifacts, key, tree, place))
        return Conversation(list(await storage.store.events(key)), await storage.store.state(key), artifacts)

    return in_session(id, store, tree, read)


def in_session(id: str, store: str | None, tree: Tree, work: Callable[[Storage, SessionKey], Awaitable[T]]) -> T:
    """What `work` gives for that session. Raises Failure."""

    async def found(storage: Storage) -> T:
        summary = await find_session(storage, id, app=run_text(tree.config, "app") or tree.root.agent.name)
        return await work(storage, summary.key)

    return with_storage(chosen_location(store, tree.config), found)
