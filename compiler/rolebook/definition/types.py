"""The types of tool parameters: one small tree to which annotations in source and types at run time are lowered.

What reading can't know is a `Hole` that carries its source, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from rolebook.json import JsonValue
from rolebook.record import Record

_MOST_RECORDS, _MOST_NESTED_RECORDS = 200, 20
"""Records that one signature may unfold to; more come from classes that hold each other, not from a tool's author."""
_MOST_ALIASES, _MOST_ALIAS_HOPS = 1_000, 8
"""Aliases that are followed for one signature, and in a row; each that names another twice doubles what there is."""


class Hole(Record):
    """What only a run can know, by the source that stands for it."""

    name: str


class Plain(Record):
    name: Literal["string", "integer", "number", "boolean", "null"]
    format: Literal["date-time"] | None = None


class Anything(Record):
    """A value of any type: what has no annotation, and classes that aren't made of JSON."""


class Array(Record):
    """`length` is that of a tuple with a fixed number of items, None for any."""

    item: Type
    length: int | None = None


class Object(Record):
    """Any names, each with such a value."""

    value: Type


class Choice(Record):
    """One of some constants: a Literal or an Enum. Null is never among them; `choice` puts it beside."""

    values: tuple[str | int | float | bool, ...]


class Union(Record):
    """At least two different members; made by `union`."""

    members: tuple[Type, ...]


class Struct(Record):
    """A TypedDict, dataclass or pydantic model."""

    name: str
    fields: tuple[Field, ...]
    description: str = ""


class Described(Record):
    """A type with a text of its own, from `Annotated`."""

    type: Type
    description: str | Hole


Type: TypeAlias = Hole | Plain | Anything | Array | Object | Choice | Union | Struct | Described


class Default(Record):
    value: JsonValue


class Field(Record):
    """A parameter of a function or a field of a record. `default` is None also for a default that JSON can't hold."""

    name: str
    type: Type
    required: bool = True
    default: Default | Hole | None = None
    description: str | Hole = ""


STRING, INTEGER, NUMBER, BOOLEAN, NULL = (
    Plain("string"),
    Plain("integer"),
    Plain("number"),
    Plain("boolean"),
    Plain("null"),
)
ANYTHING = Anything()


def union(members: Iterable[Type]) -> Type:
    """The union of `members`: flat, each once, in an order of our own with null last.

    `typing` keeps one object for `Union[int, str]` and `Union[str, int]`, so the written order may be lost at run time.
    With a member that can be anything it is that, and equal members are one; so next to others, one that isn't known
    leaves all of it open.
    """
    flat: list[Type] = []
    for member in members:
        flat += member.members if isinstance(member, Union) else (member,)
    if ANYTHING in flat:
        return ANYTHING
    holes = [hole for member in flat if (hole := _hole_in(member)) is not None]
    if holes and (any(isinstance(member, Hole) for member in flat) or sum(member != NULL for member in flat) > 1):
        return holes[0]
    distinct = list({_rank(member): member for member in sorted(flat, key=_rank)}.values())
    if not distinct:
        return ANYTHING
    return distinct[0] if len(distinct) == 1 else Union(tuple(distinct))


def choice(values: Iterable[object]) -> Type:
    """One of `values`; anything where one of them isn't a JSON scalar."""
    distinct: dict[tuple[type, object], str | int | float | bool] = {}  # 1 == True, but JSON tells them apart
    null = False
    for value in values:
        if value is None:
            null = True
        elif not isinstance(value, str | int | float | bool):
            return ANYTHING
        else:
            distinct.setdefault((type(value), value), value)
    members = [Choice(tuple(distinct.values()))] if distinct else []
    return union([*members, NULL] if null else members)


def tuple_of(items: Iterable[Type]) -> Array:
    """A tuple with one item of each type. Every item may then have any of them: `prefixItems` is widely refused."""
    listed = tuple(items)
    return Array(union(listed) if listed else ANYTHING, len(listed))


class Unfolding:
    """The records that are being unfolded for one signature, whichever side reads it.

    A record inside of itself is an object of any kind: schemas are written out in place, as not every provider follows
    a `$ref`.
    """

    def __init__(self) -> None:
        self._open: list[object] = []
        self._left = _MOST_RECORDS
        self._aliases_left = _MOST_ALIASES

    def alias(self, hops: int) -> bool:
        """Whether one more alias may be followed, after `hops` others in a row."""
        self._aliases_left -= 1
        return self._aliases_left >= 0 and hops < _MOST_ALIAS_HOPS

    def record(self, key: object, build: Callable[[], Type]) -> Type:
        """What `build` makes of the class that `key` identifies."""
        if key in self._open or not self._left or len(self._open) >= _MOST_NESTED_RECORDS:
            return Object(ANYTHING)
        self._left -= 1
        self._open.append(key)
        try:
            return build()
        finally:
            self._open.pop()


def _hole_in(kind: Type) -> Hole | None:
    match kind:
        case Hole():
            return kind
        case Array(item=inner) | Object(value=inner) | Described(type=inner):
            return _hole_in(inner)
        case Union(members=members):
            return next((hole for member in members if (hole := _hole_in(member)) is not None), None)
    return None


def _rank(kind: Type) -> tuple[int, str]:
    names = ("string", "integer", "number", "boolean")
    if isinstance(kind, Plain):
        return (names.index(kind.name) if kind.name in names else len(names) + 1, repr(kind))
    return (len(names), repr(kind))
