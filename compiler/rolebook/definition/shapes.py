"""The vocabulary in which the table of keys says what a value may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Meaning = Literal[
    "text", "template", "agent name", "model", "file", "dotted name", "tool", "state key", "agent class", "callback"
]
"""What a text stands for; completion, navigation and hover go by it."""


@dataclass(frozen=True, slots=True)
class Str:
    means: Meaning = "text"
    choices: tuple[str, ...] = ()
    empty: bool = True
    check: Callable[[str], str | None] | None = None
    """Gives the complaint about a text that is a string but no right one."""


@dataclass(frozen=True, slots=True)
class Bool:
    pass


@dataclass(frozen=True, slots=True)
class Number:
    whole: bool = False
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Shape


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping whose keys are the user's own."""

    value: Shape
    key: Meaning = "text"


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a mapping: what it may hold, and what hover, completion and the reference page say of it."""

    name: str
    shape: Shape
    doc: str
    required: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fields:
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


@dataclass(frozen=True, slots=True)
class Definition:
    """A whole agent, written inline."""


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A JSON Schema, written inline."""


@dataclass(frozen=True, slots=True)
class Anything:
    pass


@dataclass(frozen=True, slots=True)
class OneOf:
    """Alternatives; the kind of node, then `Fields.when`, tells which one is meant."""

    shapes: tuple[Shape, ...]


Shape: TypeAlias = Str | Bool | Number | ListOf | MapOf | Fields | Definition | JsonSchema | Anything | OneOf
