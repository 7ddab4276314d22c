"""The seven types of JSON, what people write for them, and whether a YAML node is of one."""

from __future__ import annotations

from rolebook.definition.names import nearest
from rolebook.syntax.yaml import Mapping, Node, Scalar, Sequence

JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

_ELSEWHERE = {
    "str": "string", "text": "string", "varchar": "string", "char": "string",
    "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean", "list": "array", "tuple": "array", "set": "array",
    "dict": "object", "map": "object", "mapping": "object", "struct": "object", "record": "object",
    "none": "null", "nil": "null",
}  # fmt: skip


def meant_type(name: str) -> str | None:
    """The type that a wrong name was most likely meant to be: Python's `str`, Gemini's `STRING`, a slip of the pen."""
    return _ELSEWHERE.get(name.lower()) or nearest(name, JSON_TYPES)


def is_of_type(node: Node, name: str) -> bool:
    """Whether the node as a JSON value has this type. Dates are texts there; of an unknown type everything is."""
    if isinstance(node, Mapping):
        return name == "object" or name not in JSON_TYPES
    if isinstance(node, Sequence):
        return name == "array" or name not in JSON_TYPES
    return node.broken or _scalar_is(node, name)


def _scalar_is(node: Scalar, name: str) -> bool:
    value = node.value
    match name:
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return not isinstance(value, bool) and (isinstance(value, int) or _is_whole(value))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "null":
            return value is None
        case "string":
            return value is not None and not isinstance(value, bool | int | float)
    return name not in JSON_TYPES


def _is_whole(value: object) -> bool:
    return isinstance(value, float) and value.is_integer()
