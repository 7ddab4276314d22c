"""Imports of the user's modules, in a thread and under a limit, so that one that hangs doesn't hang the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rolebook_runner.errors import RunError
from rolebook_runner.limits import Limits
from rolebook_runner.tools.guard import UserCodeFailed, guarded
from rolebook_runner.tools.threads import in_thread

T = TypeVar("T")


async def imported(limits: Limits, what: str, work: Callable[[], T]) -> T:
    """As `guarded_import`, for `what` an agent can't do without. Raises RunError."""
    try:
        return await guarded_import(limits, work)
    except UserCodeFailed as failed:
        if isinstance(failed.__cause__, RunError):
            raise failed.__cause__ from None
        raise RunError(f"{what} can't be imported: {failed.located()}") from failed


async def guarded_import(limits: Limits, work: Callable[[], T]) -> T:
    """The result of `work`, which imports modules of the user's. Raises UserCodeFailed."""
    return await guarded(in_thread(work), limits.max_import_seconds, "max_import_seconds")
