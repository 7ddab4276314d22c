"""The vocabulary in which the table of keys says what a value may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from rolebook.record import Record

Meaning = Literal[
    "text", "template", "agent name", "model", "file", "dotted name", "tool", "tool name", "state key", "agent class",
    "callback", "JSON type",
]  # fmt: skip
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
    """A mapping whose keys are the user's own. `null` says that a value may be left out."""

    value: Shape
    key: Str = Str()
    empty: bool = True
    null: bool = False


class Key(Record):
    """One key of a mapping: what it may hold, and what hover, completion and the reference page say of it."""

    name: str
    shape: Shape
    doc: str
    required: bool = False
    aliases: tuple[str, ...] = ()
    null: bool = False
    """Whether null counts as not set; elsewhere it is a value of the wrong type."""
    not_with: tuple[str, ...] = ()
    """Keys beside which this one makes no sense."""
    typed_by: str = ""
    """The key beside this one that names the JSON type of its value."""
    instead: str = ""
    """The agent's own key that says this; written here it is dropped."""


class Case(Record):
    """For one value of the key that `Fields.by` names: the keys that it uses, and those of them that must be there."""

    value: str
    uses: tuple[str, ...]
    needs: tuple[str, ...] = ()


class Fields(Record):
    """A mapping with known keys. Among alternatives, `when` names the keys whose presence chooses this one."""

    what: str
    keys: tuple[Key, ...]
    when: tuple[str, ...] = ()
    only: bool = False
    """Chosen only where no keys but those of `when` are there."""
    one_of: tuple[str, ...] = ()
    """Keys of which exactly one must be there."""
    bare: str = ""
    """The key whose value was meant where a text stands in place of the mapping."""
    by: str = ""
    cases: tuple[Case, ...] = ()
    """Keys that no case uses belong to every case."""

    def find(self, name: str) -> Key | None:
        for key in self.keys:
            if name == key.name or name in key.aliases:
                return key
        return None


class Definition(Record):
    """A whole agent, written inline."""


class JsonSchema(Record):
    """A JSON Schema, written inline; `of_object` where its values can only be objects."""

    of_object: bool = False


class Anything(Record):
    pass


class OneOf(Record):
    """Alternatives; the kind of node, then `Fields.when`, tells which one is meant."""

    shapes: tuple[Shape, ...]


Shape: TypeAlias = Str | Bool | Number | ListOf | MapOf | Fields | Definition | JsonSchema | Anything | OneOf
