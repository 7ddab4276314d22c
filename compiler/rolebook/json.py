"""JSON values as types, and the one compact form in which they enter prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
JsonObject: TypeAlias = Mapping[str, JsonValue]


def compact(value: object) -> str:
    """JSON without blanks, characters unescaped, keys in their own order. What JSON can't hold becomes its `str`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
