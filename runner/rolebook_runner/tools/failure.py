"""Exceptions of the user's code in words: what happened, and where in the user's own files."""

from __future__ import annotations

import os
import sysconfig
import traceback


def what(error: BaseException) -> str:
    """Type and message, in one line. Nothing in it is about this machine unless the message is."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    try:
        message = str(error)
    except Exception:  # even that is the user's code
        message = ""
    return " ".join((f"{type(error).__name__}: {message}" if message else type(error).__name__).split())


def where(error: BaseException) -> str | None:
    """The innermost `FILE:LINE` that is the user's, neither ours nor a library's; None where there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(_NOT_THE_USERS):
            return f"{frame.filename}:{frame.lineno}"
    return None


def told(error: BaseException) -> str:
    """Where and what, in one line."""
    place = where(error)
    return f"{place}: {what(error)}" if place is not None else what(error)


_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARIES = [sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")]
_NOT_THE_USERS = (_OURS, "<", *_LIBRARIES)
