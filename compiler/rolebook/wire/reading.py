"""Reading JSON that a server wrote: what has the wrong type counts as absent, and nothing raises."""

from __future__ import annotations

import json
from typing import Any, cast


def parsed(text: str) -> object:
    """The JSON value of a text, None where it is none."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def obj(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """A number of tokens, 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
