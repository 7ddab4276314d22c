"""A node held against the table of keys. Every complaint is a finding of one of the rules about files (spec §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rolebook.definition.agent import Kind
from rolebook.definition.alternatives import as_item, as_mapping, choose, describe, example, fitting
from rolebook.definition.finding import (
    Finding,
    a,
    duplicates,
    duplicates_below,
    entries_of,
    is_broken,
    not_text,
    short_span,
    shown_at,
    unknown_name,
    wrong_type,
)
from rolebook.definition.guesses import guesses_below
from rolebook.definition.keys import agent_key, fields_of
from rolebook.definition.names import nearest
from rolebook.definition.relations import has, is_null, validate_relations, validate_required
from rolebook.definition.settings import GENERATE_CONTENT_CONFIG
from rolebook.definition.shapes import (
    Anything,
    Bool,
    Definition,
    Fields,
    JsonSchema,
    Key,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Shape,
    Str,
)
from rolebook.definition.validate_scalar import validate_bool, validate_number, validate_text
from rolebook.problem import Fix
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import key_text
from rolebook.text import Edit

__all__ = ["Finding", "choose", "validate", "validate_agent"]

Misplaced = Callable[[Entry, str], Finding | None]
"""What is to be said of a key that isn't among the known ones but is known elsewhere."""


def validate_agent(node: Mapping, kind: Kind) -> Iterator[Finding]:
    """The findings of one agent's own mapping. Inline sub-agents are left to whoever lowers them."""
    if kind == "custom":
        row = agent_key("name")
        yield from duplicates(node)
        yield from validate_required(node, Fields("agent", (row.key,) if row is not None else ()))
    else:
        yield from _fields(node, fields_of(kind), lambda entry, name: _misplaced(node, kind, entry, name))


def validate(node: Node, shape: Shape, what: str) -> Iterator[Finding]:
    """The findings of one value; `what` names it in messages."""
    if is_broken(node):
        return
    match shape:
        case Definition():
            return
        case Anything():
            yield from duplicates_below(node)
            yield from guesses_below(node)
        case OneOf(shapes):
            yield from _one_of(node, shapes, what)
        case Str():
            yield from validate_text(node, shape, what)
        case Bool():
            yield from validate_bool(node, what)
        case Number():
            yield from validate_number(node, shape, what)
        case ListOf(item):
            if isinstance(node, Sequence):
                name = what if what.startswith("an item") else f"an item of {what}"
                for element in {id(element): element for element in node.items}.values():  # aliases repeat nodes
                    yield from validate(element, item, name)
            else:
                yield wrong_type(node, what, "a list", fixes=as_item(node, item))
        case MapOf():
            yield from _map(node, shape, what)
        case JsonSchema(of_object):
            if isinstance(node, Mapping):
                from rolebook.definition.validate_schema import validate_schema  # most definitions hold none

                yield from validate_schema(node, what, of_object=of_object)
            else:
                yield wrong_type(node, what, "a JSON Schema, which is a mapping")
        case Fields():
            if isinstance(node, Mapping):
                yield from _fields(node, shape)
            else:
                yield wrong_type(node, what, f"a mapping, such as `{example(shape)}: …`", fixes=as_mapping(node, shape))


def _one_of(node: Node, shapes: tuple[Shape, ...], what: str) -> Iterator[Finding]:
    if found := fitting(node, shapes):
        yield from validate(node, choose(node, found), what)
    elif any(isinstance(shape, Str) for shape in shapes):
        yield not_text(node, what, describe(shapes))
    else:
        items = [shape.item for shape in shapes if isinstance(shape, ListOf)]
        fixes = as_mapping(node, *shapes) or tuple(fix for item in items for fix in as_item(node, item))
        yield wrong_type(node, what, describe(shapes), fixes=fixes)


def _map(node: Node, shape: MapOf, what: str) -> Iterator[Finding]:
    if not isinstance(node, Mapping):
        yield wrong_type(node, what, "a mapping")
        return
    if not node.entries and not node.merged and not shape.empty:
        yield Finding("wrong-value", short_span(node), f"{what} is empty")
    yield from duplicates(node)
    for entry in entries_of(node):
        if isinstance(entry.key, Scalar) and isinstance(entry.key.value, str):
            yield from validate(entry.key, shape.key, f"a key of {what}")
        if not (shape.null and is_null(entry.value)):
            yield from shown_at(validate(entry.value, shape.value, f"`{key_text(entry)}`"), entry.key.span)


def _fields(node: Mapping, fields: Fields, misplaced: Misplaced | None = None) -> Iterator[Finding]:
    yield from duplicates(node)
    first: dict[str, Entry] = {}
    for entry in entries_of(node):
        name = entry.name
        if name is None:
            if not is_broken(entry.key):
                yield Finding("wrong-type", entry.key.span, "a key is text here")
        elif (key := fields.find(name)) is not None:
            other = first.setdefault(key.name, entry)
            if other.name != name:
                yield Finding("duplicate-key", entry.key.span, f"`{name}` says the same as `{other.name}` above")
            typed = has(node, key.typed_by)
            yield from (each for each in _value(entry, name, key) if not typed or each.rule != "guessed-type")
        elif misplaced is not None and (finding := misplaced(entry, name)) is not None:
            yield finding
        else:
            known = [spelling for key in fields.keys for spelling in (key.name, *key.aliases)]
            near = nearest(name, known)
            thing = f"key of {a(fields.what)}"
            yield unknown_name(entry, name, thing, near, rule="unknown-key", taken=has(node, near))
    yield from validate_relations(node, fields)


def _value(entry: Entry, name: str, key: Key) -> Iterator[Finding]:
    if key.instead:
        message = f"`{name}` has no effect here; it is the agent's own `{key.instead}`"
        yield Finding("misplaced-key", entry.key.span, message)
    elif not (key.null and is_null(entry.value)):
        yield from shown_at(validate(entry.value, key.shape, f"`{name}`"), entry.key.span)


def _misplaced(node: Mapping, kind: Kind, entry: Entry, name: str) -> Finding | None:
    """A key that is known on other agents, or among the settings of the model."""
    row = agent_key(name)
    if row is None:
        if kind == "LlmAgent" and GENERATE_CONTENT_CONFIG.find(name) is not None:
            message = f"`{name}` is a setting of the model; it goes into `generate_content_config`"
            return Finding("misplaced-key", entry.key.span, message)
        return None
    if kind in row.on:
        message = f"`{name}` stands for `{row.key.name}` on workflow agents; `{kind}` knows only `{row.key.name}`"
        rename = Fix(f"Rename to `{row.key.name}`", (Edit(entry.key.span, row.key.name),))
        return Finding("misplaced-key", entry.key.span, message, fixes=() if has(node, row.key.name) else (rename,))
    kinds = " and ".join(sorted(f"`{kind}`" for kind in row.on))
    return Finding("misplaced-key", entry.key.span, f"`{name}` belongs to {kinds}; `{kind}` has no use for it")
