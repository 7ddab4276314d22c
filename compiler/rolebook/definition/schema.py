"""Types to JSON Schema, in the part of draft 2020-12 that every provider takes.

An optional type is `anyOf` with `{"type": "null"}`. OpenAI and Anthropic take that and `"type": [X, "null"]` alike, but
Gemini's `parameters` have no lists of types; a wire format that wants `nullable` makes it from `anyOf` with ease.
Titles, `$ref`, `prefixItems` and formats other than `date-time` are left out: each is refused by one of the three.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rolebook.definition.types import (
    Anything,
    Array,
    Choice,
    Default,
    Described,
    Field,
    Hole,
    Object,
    Plain,
    Struct,
    Type,
    Union,
)


def schema_of(kind: Type) -> dict[str, Any]:
    """The JSON Schema of a type; a hole stands as `{"hole": NAME}` (spec §3)."""
    match kind:
        case Hole(name=name):
            return {"hole": name}
        case Plain(name=name, format=format):
            return {"type": name} if format is None else {"type": name, "format": format}
        case Anything():
            return {}
        case Array(item=item, length=length):
            limits = {} if length is None else {"minItems": length, "maxItems": length}
            return {"type": "array", "items": schema_of(item), **limits}
        case Object(value=Anything()):
            return {"type": "object"}
        case Object(value=value):
            return {"type": "object", "additionalProperties": schema_of(value)}
        case Choice(values=values):
            return {**_type_of(values), "enum": list(values)}
        case Union(members=members):
            return {"anyOf": [schema_of(member) for member in members]}
        case Struct(fields=fields, description=description):
            return {**object_of(fields), **_described(description)}
        case Described(type=inner, description=description):
            return {**schema_of(inner), **_described(description)}


def object_of(fields: Iterable[Field]) -> dict[str, Any]:
    """The schema of an object with these fields, in their order. `required` is left out where nothing is."""
    listed = list(fields)
    schema: dict[str, Any] = {"type": "object", "properties": {field.name: _property(field) for field in listed}}
    required = [field.name for field in listed if field.required]
    return {**schema, "required": required} if required else schema


def _property(field: Field) -> dict[str, Any]:
    schema = {**schema_of(field.type), **_described(field.description)}
    match field.default:
        case Default(value=value):
            return {**schema, "default": value}
        case Hole(name=name):
            return {**schema, "default": {"hole": name}}
    return schema


def _described(text: str | Hole) -> dict[str, Any]:
    if isinstance(text, Hole):
        return {"description": {"hole": text.name}}
    return {"description": text} if text else {}


def _type_of(values: tuple[object, ...]) -> dict[str, str]:
    kinds = {type(value) for value in values}
    for name, allowed in (("string", {str}), ("boolean", {bool}), ("integer", {int}), ("number", {int, float})):
        if kinds <= allowed:
            return {"type": name}
    return {}
