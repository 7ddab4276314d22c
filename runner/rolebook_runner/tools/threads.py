"""Blocking functions off the event loop. Each call has a thread of its own, so that a hanging one delays nobody."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """What the function returns or raises. When the wait is cancelled, the function runs on and its result is dropped.

    A pool would wait for such a function at exit, and enough of them would fill it; a daemon thread does neither.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def report(settle: Callable[[], None]) -> None:
        if not done.done():
            settle()

    def run() -> None:
        settle: Callable[[], None]
        try:
            settle = partial(done.set_result, context.run(function))
        except StopIteration as error:  # a future can't hold one
            settle = partial(done.set_exception, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:
            settle = partial(done.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop is closed, nobody waits
            loop.call_soon_threadsafe(report, settle)

    threading.Thread(target=run, name="rolebook-tool", daemon=True).start()
    return await done
