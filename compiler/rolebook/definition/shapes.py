"""The vocabulary in which the table of keys says what a value may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from rolebook.record import Record

Meaning = Literal[
    "text", "template", "agent name", "model", "file", "dotted name", "tool", "state key", "agent class", "callback"
]
"""What a text stands for; completion, navigation and hover go by it."""


class Str(Record):
    means: Meaning = "text"
    choices: tuple[str, ...] = ()
    empty: bool = True
    check: Callable[[str], str | None] | None = None
    """Gives the complaint about a text that is a string but no right one."""


class Bool(Record):
    pass


class Number(Record):
    whole: bool = False
    least: float | None = None
    most: float | None = None


class ListOf(Record):
    item: Shape


class MapOf(Record):
    """A mapping whose keys are the user's own."""

    value: Shape
    key: Meaning = "text"


class Key(Record):
    """One key of a mapping: what it may hold, and what hover, completion and the reference page say of it."""

    name: str
    shape: Shape
    doc: str
    required: bool = False
    aliases: tuple[str, ...] = ()


class Fields(Record):
    """A mapping with known keys. Among alternatives, `when` names the keys whose presence chooses this one."""

    what: str
    keys: tuple[Key, ...]
    when: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    """Keys of which exactly one must be there."""

    def find(self, name: str) -> Key | None:
        for key in self.keys:
            if name == key.name or name in key.aliases:
                return key
        return None


class Definition(Record):
    """A whole agent, written inline."""


class JsonSchema(Record):
    """A JSON Schema, written inline."""


class Anything(Record):
    pass


class OneOf(Record):
    """Alternatives; the kind of node, then `Fields.when`, tells which one is meant."""

    shapes: tuple[Shape, ...]


Shape: TypeAlias = Str | Bool | Number | ListOf | MapOf | Fields | Definition | JsonSchema | Anything | OneOf
