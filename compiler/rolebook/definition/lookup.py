"""The table of keys asked by place: what may stand at the end of a path of keys, for hover and completion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rolebook.definition.agent import Kind
from rolebook.definition.keys import AGENT_KEYS, agent_key, fields_of
from rolebook.definition.shapes import Definition, Fields, Key, ListOf, MapOf, OneOf, Shape


def key_at(names: Sequence[str]) -> Key | None:
    """The key that `names` lead to from a definition's top, whatever kind of agent it is."""
    row = agent_key(names[0]) if names else None
    key = row.key if row is not None else None
    for name in names[1:]:
        key = next((found for fields in _fields_in(key.shape) if (found := fields.find(name))), None) if key else None
    return key


def keys_below(kind: Kind, names: Sequence[str]) -> tuple[Key, ...]:
    """The keys of the mapping that `names` lead to; without names those of a definition of this kind."""
    if not names:
        return tuple(row.key for row in AGENT_KEYS) if kind == "custom" else fields_of(kind).keys
    key = key_at(names)
    if key is None:
        return ()
    found: dict[str, Key] = {}
    for fields in _fields_in(key.shape):
        for inner in fields.keys:
            found.setdefault(inner.name, inner)
    if any(isinstance(shape, Definition) for shape in _alternatives(key.shape)):
        for row in AGENT_KEYS:
            found.setdefault(row.key.name, row.key)
    return tuple(found.values())


def _fields_in(shape: Shape) -> Iterator[Fields]:
    for alternative in _alternatives(shape):
        if isinstance(alternative, Fields):
            yield alternative


def _alternatives(shape: Shape) -> Iterator[Shape]:
    """What a value may be, looked for through lists, mappings and alternatives."""
    match shape:
        case OneOf(shapes):
            for inner in shapes:
                yield from _alternatives(inner)
        case ListOf(inner) | MapOf(inner):
            yield from _alternatives(inner)
        case _:
            yield shape
