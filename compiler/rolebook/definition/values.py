"""The value of an entry as one type or another; None or nothing where it isn't there or holds something else."""

from __future__ import annotations

from rolebook.definition.shapes import Bool, Fields, Number
from rolebook.definition.validate_scalar import spelt
from rolebook.json import JsonObject, JsonValue
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import json_of
from rolebook.text import MappedText


def text_of(entry: Entry | None) -> str | None:
    """The text as it is written, whatever YAML makes of it."""
    mapped = mapped_of(entry)
    return mapped.text if mapped is not None else None


def mapped_of(entry: Entry | None) -> MappedText | None:
    node = entry.value if entry is not None else None
    return node.text if isinstance(node, Scalar) and node.value is not None else None


def items_of(entry: Entry | None) -> tuple[Node, ...]:
    return entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ()


def mappings_of(entry: Entry | None) -> list[Mapping]:
    return [item for item in items_of(entry) if isinstance(item, Mapping)]


def json_at(entry: Entry | None) -> JsonValue:
    return json_of(entry.value) if entry is not None else None


def object_at(entry: Entry | None) -> JsonObject | None:
    value = json_at(entry)
    return value if isinstance(value, dict) else None


def is_true(entry: Entry | None) -> bool:
    return entry is not None and _leaf(entry.value, Bool()) is True


def whole_of(entry: Entry | None) -> int | None:
    """A whole number from 1."""
    value = _leaf(entry.value, Number(whole=True)) if entry is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


def known_values(node: Mapping, fields: Fields) -> JsonObject:
    """The known keys of a mapping under their own names; those that have no effect there are left out."""
    values: dict[str, JsonValue] = {}
    for entry in node:
        key = fields.find(entry.name or "")
        if key is not None and not key.instead:
            meant = spelt(entry.value, key.shape) if isinstance(key.shape, Bool | Number) else None
            values[key.name] = json_of(entry.value) if meant is None else meant
    return values


def _leaf(node: Node, shape: Bool | Number) -> object:
    """The value of a boolean or number, in quotes or not."""
    spelt_out = spelt(node, shape)
    return spelt_out if spelt_out is not None else node.value if isinstance(node, Scalar) else None
