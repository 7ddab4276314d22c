"""JSON values as types, and the one compact form in which they enter prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import isfinite
from typing import TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
JsonObject: TypeAlias = Mapping[str, JsonValue]


def compact(value: object) -> str:
    """JSON without blanks, characters unescaped, keys in their own order. What JSON can't hold becomes its `str`."""
    encode = _encoder()
    try:
        return encode(value)
    except ValueError:  # NaN and infinities, which Python would write and nobody else would read
        return encode(_finite(value))


def written_out(value: JsonValue) -> int:
    """How many values there are in `value` once those that several places share, as YAML's aliases do, are repeated."""
    return _written_out(value, {})


def _written_out(value: JsonValue, counted: dict[int, int]) -> int:
    if not isinstance(value, Mapping | list | tuple):
        return 1
    if id(value) not in counted:
        below = value.values() if isinstance(value, Mapping) else value
        counted[id(value)] = 1 + sum(_written_out(inner, counted) for inner in below)
    return counted[id(value)]


@cache
def _encoder() -> Callable[[object], str]:
    import json

    return json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False).encode


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
