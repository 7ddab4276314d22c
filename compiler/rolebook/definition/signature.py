"""A tool's signature, whether it was read from source or from the function itself, and the declaration made from it."""

from __future__ import annotations

from enum import Enum
from math import isfinite

from rolebook.definition.declaration import Declaration
from rolebook.definition.docstring import Docstring
from rolebook.definition.schema import object_of
from rolebook.definition.types import Default, Described, Field, Hole, Type
from rolebook.json import JsonValue
from rolebook.record import Record

_PASSED_BY_NAME = frozenset({"self", "context", "tool_context"})
_PASSED_BY_TYPE = frozenset({"Context", "ToolContext"})


class Signature(Record):
    """A function as a tool. `parameters` leaves out what the runner passes.

    They are a hole where a run may find another function altogether; then the description is that of the source.
    """

    name: str
    description: str
    parameters: tuple[Field, ...] | Hole
    is_async: bool = False
    is_generator: bool = False


def declaration(signature: Signature) -> Declaration | Hole:
    """What the model is told, parameters in the order of the signature; a hole where these are one."""
    if isinstance(signature.parameters, Hole):
        return signature.parameters
    return Declaration(signature.name, signature.description, object_of(signature.parameters))


def is_passed_by_runner(name: str, type_name: str = "") -> bool:
    """Whether the runner passes a parameter itself (spec §8); `type_name` is the last part of its type's name."""
    return name in _PASSED_BY_NAME or type_name in _PASSED_BY_TYPE


class Declared(Record):
    """What the right side of `=` says of a parameter or field: a default value, or a `Field(…)`.

    `name` is an alias under which the value is passed; `is_passed` is False for a field that can't be passed at all.
    """

    required: bool = True
    default: Default | Hole | None = None
    description: str | Hole = ""
    name: str | None = None
    is_passed: bool = True


def field_of(name: str, kind: Type, declared: Declared, docs: Docstring) -> Field:
    """A field whose description is taken from its type (`Annotated`), else its `Field(…)`, else the docstring."""
    description = declared.description or docs.parameters.get(name, "")
    if isinstance(kind, Described):
        description, kind = kind.description, kind.type
    return Field(declared.name or name, kind, declared.required, declared.default, description)


def default_of(value: object) -> Default | None:
    """A default value as JSON, an enum member by its value; None where JSON can't hold it."""
    try:
        return Default(_json(value, 0))
    except ValueError:
        return None


def _json(value: object, depth: int) -> JsonValue:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if depth > 50:
        raise ValueError("nested too deeply, or inside of itself")
    if isinstance(value, list | tuple):
        return [_json(item, depth + 1) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _json(item, depth + 1) for key, item in value.items()}
    raise ValueError(f"a {type(value).__name__} is no JSON value")
