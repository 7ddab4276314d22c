"""The part of JSON Schema that Anthropic's structured output takes.

Source: platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations", read 2026-11 as
others retell it (lang_schema's and other converters): every object must say `additionalProperties: false`, and limits
on numbers, lengths and counts are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolebook.json import JsonObject, JsonValue

_REFUSED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    }
)
_SCHEMAS_BY_NAME = frozenset({"properties", "$defs", "definitions"})
_SCHEMA_LISTS = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})


def accepted(schema: JsonObject) -> tuple[dict[str, Any], list[str]]:
    """The schema with its objects closed and without the keywords that are refused, and those keywords in order.

    What is taken out still reaches the model: the instruction holds the whole schema in words (spec §3).
    """
    dropped: dict[str, None] = {}
    return _schema(schema, dropped), list(dropped)


def _schema(schema: JsonObject, dropped: dict[str, None]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if _refuses(key, value):
            dropped[key] = None
        elif key in _SCHEMAS_BY_NAME and isinstance(value, Mapping):
            out[key] = {name: _any(below, dropped) for name, below in value.items()}
        elif key in _SCHEMA_LISTS and isinstance(value, list | tuple):
            out[key] = [_any(below, dropped) for below in value]
        elif key == "items":
            out[key] = _any(value, dropped)
        elif key == "additionalProperties":
            if value is not False:
                dropped[key] = None
        else:
            out[key] = value
    if schema.get("type") == "object" or "properties" in schema:
        out["additionalProperties"] = False
    return out


def _refuses(key: str, value: JsonValue) -> bool:
    return key in _REFUSED or (key == "minItems" and value not in (0, 1))


def _any(value: JsonValue, dropped: dict[str, None]) -> JsonValue:
    return _schema(value, dropped) if isinstance(value, Mapping) else value
