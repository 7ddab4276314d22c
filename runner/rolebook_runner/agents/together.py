"""Jobs that run at the same time and end together, and jobs that come to their end in any case."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def together(jobs: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in the order of the jobs. When one fails or the wait is cancelled, no job is left running."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def to_the_end(job: Coroutine[Any, Any, T]) -> T:
    """The result of a job that isn't stopped halfway: a cancellation gets through once it is done."""
    task = asyncio.ensure_future(job)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
