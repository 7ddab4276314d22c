"""When a request is tried again, and after how long."""

from __future__ import annotations

import email.utils
import random
from datetime import UTC, datetime

ATTEMPTS = 4
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0


def may_pass(status: int) -> bool:
    """Whether a status is of the kind that passes: too many requests, a timeout, or trouble of the server."""
    return status in (408, 429) or status >= 500


def wait_before(attempt: int, retry_after: str | None) -> float:
    """The seconds to wait before the attempt (2 is the first repetition), at most 30.

    What the server asks for in `Retry-After` is honoured. Else the time doubles with each attempt, and half of it is
    left to chance, so that many clients don't come back at once.
    """
    asked = _asked_for(retry_after)
    if asked is not None:
        return min(asked, _LONGEST_WAIT)
    longest = min(_FIRST_WAIT * 2 ** (attempt - 2), _LONGEST_WAIT)
    return random.uniform(longest / 2, longest)


def _asked_for(retry_after: str | None) -> float | None:
    """Seconds from a `Retry-After` header: a number, or an HTTP date (RFC 9110, section 10.2.3)."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
        return seconds if 0 <= seconds < float("inf") else None
    except ValueError:
        pass
    try:
        date = email.utils.parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
