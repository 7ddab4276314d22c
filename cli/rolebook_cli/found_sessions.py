"""Sessions by the ids that users type."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from rolebook.definition.names import did_you_mean
from rolebook_cli.output import Failure, shown_path

if TYPE_CHECKING:
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.sessions.storage import Storage
    from rolebook_runner.sessions.store import Summary

T = TypeVar("T")


def with_storage(location: Location, work: Callable[[Storage], Awaitable[T]]) -> T:
    """What `work` gives for the storage at a place where there is one already. Raises Failure."""
    import asyncio

    from rolebook_runner.errors import RunError
    from rolebook_runner.sessions.storage import open_storage

    if location.path is None:
        raise Failure("a `memory` store keeps no sessions")
    if not os.path.exists(location.path):
        raise Failure(f"there are no sessions yet: {shown_path(location.path)} isn't there")

    async def opened() -> T:
        storage = open_storage(location)
        try:
            return await work(storage)
        finally:
            await storage.aclose()

    try:
        return asyncio.run(opened())
    except RunError as error:
        raise Failure(str(error)) from None


async def find_session(storage: Storage, id: str, app: str | None = None, user: str | None = None) -> Summary:
    """The session of this id, or the only one whose id starts so. Raises Failure."""
    listed = [summary for summary in await storage.store.sessions() if is_meant(summary, app, user)]
    exact = [summary for summary in listed if summary.key.id == id]
    found = exact or [summary for summary in listed if id and summary.key.id.startswith(id)]
    if not found:
        raise Failure(f"there is no session `{id}`{did_you_mean(id, [summary.key.id for summary in listed])}")
    if len(found) > 1:
        some = ", ".join(f"`{s.key.id}` (app {s.key.app}, user {s.key.user})" for s in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise Failure(f"`{id}` may be any of {some}{more}; write more of it, or name --app and --user")
    return found[0]


def is_meant(summary: Summary, app: str | None, user: str | None) -> bool:
    return app in (None, summary.key.app) and user in (None, summary.key.user)
