"""An inline JSON Schema (draft 2020-12) held against its vocabulary, so that no provider gets one that it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rolebook.definition.finding import (
    Finding,
    duplicates,
    entries_of,
    found,
    is_broken,
    not_text,
    short_span,
    shown_at,
    unknown_name,
    wrong_type,
)
from rolebook.definition.guesses import guesses_below
from rolebook.definition.json_types import JSON_TYPES, meant_type
from rolebook.definition.names import nearest
from rolebook.definition.schema_keywords import KEYWORDS, Takes
from rolebook.definition.schema_relations import RULE, validate_schema_relations
from rolebook.problem import Fix
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import key_text
from rolebook.text import Edit, Span

_VALUES = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values may be anything."""


class Part(NamedTuple):
    """A schema inside of the schema, what messages call it, and where the key stands that it belongs to."""

    node: Node
    what: str
    key: Span


def validate_schema(root: Mapping, what: str, *, of_object: bool) -> Iterator[Finding]:
    """The findings of a whole schema; `of_object` asks for the schema of an object, as a tool's parameters must be."""
    if of_object:
        yield from _of_object(root, what)
    pending: list[Part] = [Part(root, what, root.span)]
    seen: set[int] = set()
    for part in pending:
        if id(part.node) not in seen:  # aliases share nodes
            seen.add(id(part.node))
            yield from shown_at(_schema(part.node, part.what, root, pending), part.key)


def _of_object(root: Mapping, what: str) -> Iterator[Finding]:
    stated = root.get("type")
    entries = entries_of(root)
    if entries and not any(_is_keyword(entry.name) for entry in entries):
        return  # it is no schema at all, which is told as such
    if stated is None and root.get("$ref") is None:
        yield Finding(RULE, short_span(root), f"{what} is the schema of an object; write `type: object`")
        return
    named = stated.value if stated is not None and isinstance(stated.value, Scalar) else None
    if named is not None and named.value in JSON_TYPES and named.value != "object":
        rest_fits = len(entries) == 1 or root.get("properties") is not None
        fix = Fix("Change to `object`", (Edit(named.span, "object"),), safe=rest_fits)
        message = f"{what} is the schema of an object, not `type: {named.value}`"
        yield Finding(RULE, named.span, message, fixes=(fix,))


def _schema(node: Node, what: str, root: Mapping, pending: list[Part]) -> Iterator[Finding]:
    if is_broken(node) or (isinstance(node, Scalar) and isinstance(node.value, bool)):
        return
    if not isinstance(node, Mapping):
        yield wrong_type(node, what, "a schema, such as `type: string`", rule=RULE, fixes=_as_schema(node))
        return
    yield from duplicates(node)
    entries = entries_of(node)
    if entries and not any(_is_keyword(entry.name) or _nearest(entry.name) for entry in entries):
        message = f"{what} is a JSON Schema, and there is none of its keywords here; properties go below `properties`"
        yield Finding(RULE, short_span(node), message)
        return
    for entry in entries:
        if entry.name in KEYWORDS:
            findings = _keyword(entry, entry.name, KEYWORDS[entry.name].takes, pending)
            yield from shown_at(findings, entry.key.span)
        elif not _is_keyword(entry.name):
            yield _unknown(node, entry)
    if node.get("type") is None:  # with a type, whatever isn't of it is told as such
        yield from (finding for entry in entries if entry.name in _VALUES for finding in guesses_below(entry.value))
    yield from validate_schema_relations(node, root)


def _is_keyword(name: str | None) -> bool:
    return name is not None and (name in KEYWORDS or name.startswith("x-"))


def _nearest(name: str | None) -> str | None:
    return nearest(name.replace("_", ""), KEYWORDS) if name else None


def _unknown(node: Mapping, entry: Entry) -> Finding:
    name = entry.name
    if name is None:
        return Finding(RULE, entry.key.span, f"a keyword is text, not {found(entry.key)}")
    near = _nearest(name)
    taken = near is not None and node.get(near) is not None
    return unknown_name(entry, name, "keyword of JSON Schema", near, rule=RULE, taken=taken)


def _keyword(entry: Entry, name: str, takes: Takes, pending: list[Part]) -> Iterator[Finding]:
    """The findings of a keyword's own value; the schemas in it are left in `pending`."""
    node, what = entry.value, f"`{name}`"
    if is_broken(node):
        return
    match takes:
        case "schema":
            if name == "items" and isinstance(node, Sequence):
                message = "`items` is one schema for all items; schemas item by item are `prefixItems`"
                rename = Fix("Rename to `prefixItems`", (Edit(entry.key.span, "prefixItems"),))
                yield Finding(RULE, entry.key.span, message, fixes=(rename,))
                return
            pending.append(Part(node, what, entry.key.span))
        case "list of schemas":
            yield from _listed(node, what, "a list of schemas", empty=False)
            if isinstance(node, Sequence):
                pending += [Part(item, f"an item of {what}", entry.key.span) for item in node.items]
        case "map of schemas":
            if isinstance(node, Mapping):
                yield from duplicates(node)
                pending += [Part(each.value, f"`{key_text(each)}`", each.key.span) for each in entries_of(node)]
            else:
                yield wrong_type(node, what, "a mapping of names to schemas", rule=RULE)
        case "type":
            yield from _types(node)
        case "names":
            yield from _names(node, what)
        case "map of names":
            if not isinstance(node, Mapping):
                yield wrong_type(node, what, "a mapping of names to lists of names", rule=RULE)
                return
            for inner in entries_of(node):
                yield from _names(inner.value, f"`{key_text(inner)}`")
        case "list":
            yield from _listed(node, what, "a list", empty=name != "enum")
        case _:
            yield from _leaf(node, what, takes)


def _listed(node: Node, what: str, expected: str, *, empty: bool = True) -> Iterator[Finding]:
    if not isinstance(node, Sequence):
        yield wrong_type(node, what, expected, rule=RULE)
    elif not node.items and not empty:
        yield Finding(RULE, short_span(node), f"{what} is empty")


def _types(node: Node) -> Iterator[Finding]:
    listed = node.items if isinstance(node, Sequence) else (node,)
    if not listed:
        yield Finding(RULE, short_span(node), "`type` is empty")
    for item in listed:
        if isinstance(item, Scalar) and item.broken:
            continue
        if not isinstance(item, Scalar) or not isinstance(item.value, str):
            yield _null_type(item) if _reads_null(item) else wrong_type(item, "`type`", "a type's name", rule=RULE)
        elif item.value not in JSON_TYPES:
            near = meant_type(item.value)
            fixes = (Fix(f"Change to `{near}`", (Edit(item.span, _type_text(near)),)),) if near else ()
            known = ", ".join(f"`{name}`" for name in JSON_TYPES)
            hint = f"did you mean `{near}`?" if near else f"there are {known}"
            yield Finding(RULE, item.span, f"`{item.value}` is no JSON type; {hint}", fixes=fixes)


def _reads_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None and node.text.text == "null"


def _null_type(node: Node) -> Finding:
    fix = Fix("Quote it", (Edit(node.span, '"null"'),))
    return Finding(RULE, node.span, "the type `null` is written in quotes: YAML reads `null` as nothing", fixes=(fix,))


def _type_text(name: str) -> str:
    return '"null"' if name == "null" else name


def _names(node: Node, what: str) -> Iterator[Finding]:
    if what == "`required`" and isinstance(node, Scalar) and isinstance(node.value, bool):
        message = "`required` is a list of names and stands on the object, beside its `properties`"
        yield Finding(RULE, node.span, message)
        return
    yield from _listed(node, what, "a list of names")
    for item in node.items if isinstance(node, Sequence) else ():
        if not is_broken(item) and not (isinstance(item, Scalar) and isinstance(item.value, str)):
            yield not_text(item, f"an item of {what}", "text", rule=RULE)


def _leaf(node: Node, what: str, takes: Takes) -> Iterator[Finding]:
    value = node.value if isinstance(node, Scalar) else node
    match takes:
        case "text" if not isinstance(value, str):
            if what == "`$ref`" and value is None:
                message = "`$ref` is text, but here is nothing: `#` starts a comment unless it stands in quotes"
                yield Finding(RULE, node.span, message)
            else:
                yield not_text(node, what, "text", rule=RULE)
        case "boolean" if not isinstance(value, bool):
            yield wrong_type(node, what, "`true` or `false`", rule=RULE)
        case "number" if isinstance(value, bool) or not isinstance(value, int | float):
            yield wrong_type(node, what, "a number", rule=RULE)
        case "count" if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            yield wrong_type(node, what, "a whole number from 0", rule=RULE)


def _as_schema(node: Node) -> tuple[Fix, ...]:
    """A type's name as the schema that was meant."""
    if (
        not isinstance(node, Scalar)
        or not isinstance(node.value, str)
        or node.style not in ("plain", "single", "double")
    ):
        return ()
    name = node.value if node.value in JSON_TYPES else meant_type(node.value)
    return (Fix(f"Write `type: {name}`", (Edit(node.span, f"{{type: {_type_text(name)}}}"),)),) if name else ()
