"""The nodes of a YAML document. Aliases are followed already: both places hold one node, with the anchor's span."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import isfinite
from typing import Literal, TypeAlias

from rolebook.json import JsonValue
from rolebook.record import Record
from rolebook.text import MappedText, Span

Style = Literal["plain", "single", "double", "literal", "folded"]


class Scalar(Record):
    """A leaf. `text` is the decoded text; `value` what YAML 1.1 makes of it, as `yaml.safe_load` would.

    `broken` marks text that could not be read as YAML: nothing is to be said about it beyond the syntax error.
    """

    span: Span
    text: MappedText
    value: object
    style: Style = "plain"
    broken: bool = False


class Sequence(Record):
    span: Span
    items: tuple[Node, ...]
    flow: bool = False


class Entry(Record):
    """A key and its value; the span reaches from the key's first character to the value's last."""

    span: Span
    key: Node
    value: Node

    @property
    def name(self) -> str | None:
        """The key as it is written; None where it is no word (a number, a list).

        YAML 1.1 reads an unquoted `on` or `yes` as a boolean. As a key it is meant as the word, so it counts as one.
        """
        key = self.key
        return key.text.text if isinstance(key, Scalar) and isinstance(key.value, str | bool) else None


class Mapping(Record, caches=True):
    """`entries` as written, duplicates included; `merged` those that `<<` brings in, which written ones override."""

    span: Span
    entries: tuple[Entry, ...]
    flow: bool = False
    merged: tuple[Entry, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        """The entries in force, one for each key: of duplicates the last one counts, as in PyYAML."""
        chosen: dict[object, Entry] = {}
        for entry in (*self.merged, *self.entries):
            chosen[_identity(entry)] = entry
        return iter(chosen.values())

    def get(self, name: str) -> Entry | None:
        """The entry in force with this key, as it is written."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str | None, Entry]:
        return {entry.name: entry for entry in (*self.merged, *self.entries)}


Node: TypeAlias = Scalar | Sequence | Mapping


def missing(offset: int) -> Scalar:
    """The null that stands where a value was left out."""
    return Scalar(Span(offset, offset), MappedText("", (), ()), None)


def value_of(node: Node) -> object:
    """The plain Python value, as `yaml.safe_load` builds it; a node that an alias repeats gives one shared object."""
    return _value(node, {})


def _value(node: Node, made: dict[int, object]) -> object:
    if isinstance(node, Scalar):
        return node.value
    if id(node) not in made:
        if isinstance(node, Sequence):
            made[id(node)] = [_value(item, made) for item in node.items]
        else:
            made[id(node)] = {_hashable(_value(entry.key, made)): _value(entry.value, made) for entry in node}
    return made[id(node)]


def _hashable(value: object) -> object:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _identity(entry: Entry) -> object:
    key = entry.key
    return key.value if isinstance(key, Scalar) else entry.span


def json_of(node: Node) -> JsonValue:
    """The node as a JSON value. What JSON can't hold (a date, an infinity, a key that is no text) becomes its text."""
    return _json(node, {})


def _json(node: Node, made: dict[int, JsonValue]) -> JsonValue:
    if isinstance(node, Scalar):
        value = node.value
        if isinstance(value, float) and not isfinite(value):
            return node.text.text
        return value if value is None or isinstance(value, str | int | float) else node.text.text
    if id(node) not in made:
        if isinstance(node, Sequence):
            made[id(node)] = [_json(item, made) for item in node.items]
        else:
            made[id(node)] = {key_text(entry): _json(entry.value, made) for entry in node}
    return made[id(node)]


def key_text(entry: Entry) -> str:
    """The key as it is written, for one that is no text (a boolean, a number)."""
    return entry.key.text.text if isinstance(entry.key, Scalar) else ""
