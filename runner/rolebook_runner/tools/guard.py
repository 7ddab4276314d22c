"""The user's code under guard: whatever it does, the caller gets a value, an exception of ours, or a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from rolebook_runner.errors import RunError
from rolebook_runner.tools import failure

T = TypeVar("T")


class UserCodeFailed(Exception):
    """The message says what happened; `where` is the `FILE:LINE` of the user's where it did, if that is known."""

    def __init__(self, message: str, where: str | None = None) -> None:
        super().__init__(message)
        self.where = where

    def __str__(self) -> str:
        return str(self.args[0])

    def located(self) -> str:
        """The message behind its place."""
        return f"{self.where}: {self}" if self.where is not None else str(self)


async def guarded(work: Awaitable[T], seconds: float, limit: str) -> T:
    """The result of `work`, which runs the user's code and gets `seconds` for it; `limit` is the name of that limit.

    Raises UserCodeFailed when it takes longer, and for whatever it raises, an exit or a cancellation of its own too.
    """
    try:
        async with asyncio.timeout(seconds) as scope:
            return await work
    except UserCodeFailed:
        raise
    except RunError as error:
        raise UserCodeFailed(str(error)) from error
    except TimeoutError as error:
        if scope.expired():
            raise UserCodeFailed(f"it took longer than {seconds:g} s ({limit})") from None
        raise _failed(error) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise UserCodeFailed("it was cancelled from inside", failure.where(error)) from error
    except KeyboardInterrupt:
        raise  # the user's wish, whosever code it met
    except BaseException as error:
        raise _failed(error) from error


def _failed(error: BaseException) -> UserCodeFailed:
    return UserCodeFailed(failure.what(error), failure.where(error))
