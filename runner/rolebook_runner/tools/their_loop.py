"""The user's coroutines, on an event loop of their own: one that blocks it stops neither the run nor its limits.

All of them share the loop, since connections and locks of the user's modules belong to the loop that they were made on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")
logger = logging.getLogger("rolebook.run")

_GRACE_SECONDS = 0.5
"""What a coroutine gets to clean up once it is cancelled, and its loop to show that it isn't blocked."""

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


async def in_their_loop(start: Callable[[], Awaitable[T]]) -> T:
    """What the awaitable that `start` makes there gives or raises. A cancellation is passed on to it.

    Where the loop is blocked by then, it is left to its thread, which ends with the process, and the next call gets a
    new one. What else runs on a blocked loop hangs with it until its own limit.
    """
    home = asyncio.get_running_loop()
    theirs = _their_loop()
    done: asyncio.Future[T] = home.create_future()

    def report(settle: Callable[[], None]) -> None:
        if not done.done():
            settle()

    async def run() -> None:
        settle: Callable[[], None]
        try:
            settle = partial(done.set_result, await start())
        except StopIteration as error:  # a future can't hold one
            settle = partial(done.set_exception, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:
            settle = partial(done.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the caller's loop is closed, nobody waits
            home.call_soon_threadsafe(report, settle)

    job = asyncio.run_coroutine_threadsafe(run(), theirs)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        if not done.done():
            job.cancel()
            await _let_go(theirs, done)
        raise


async def _let_go(theirs: asyncio.AbstractEventLoop, done: asyncio.Future[T]) -> None:
    """Waits a moment for the end of what was cancelled, and gives their loop up where it doesn't answer by then."""
    answered = threading.Event()
    theirs.call_soon_threadsafe(answered.set)
    try:
        await asyncio.wait({done}, timeout=_GRACE_SECONDS)
    finally:
        if not done.done() and not answered.is_set():
            _give_up(theirs)


def _their_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="rolebook-async", daemon=True).start()
        return _loop


def _give_up(loop: asyncio.AbstractEventLoop) -> None:
    global _loop
    with _lock:
        if _loop is loop:
            _loop = None
            logger.warning("an async function blocks its event loop; what waits should be awaited, or not be async")
