"""A node held against a JSON Schema of google-adk's, as pydantic reads values in its lax mode.

Only what pydantic writes for google-adk's models is known here. It takes `"true"` for a boolean and `"3"` for a whole
number, but no number for a text, and a null only where the schema says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from rolebook.definition.names import did_you_mean
from rolebook.syntax.yaml import Entry, Node, Scalar, Sequence
from rolebook.syntax.yaml import Mapping as MappingNode
from rolebook.text import Span

Schema = Mapping[str, Any]

_BOOLEANS = frozenset({"0", "1", "true", "false", "t", "f", "yes", "no", "y", "n", "on", "off"})
_WHOLE = re.compile(r"\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*")


class Misfit(NamedTuple):
    """Where a value doesn't fit, and what google-adk wants there, as the rest of a sentence about it."""

    span: Span
    message: str


def misfits(node: Node, schema: Schema, schemas: Mapping[str, Schema], what: str) -> Iterator[Misfit]:
    """What of `node` doesn't fit; `what` names it. `schemas` are those that a `$ref` means."""
    schema = _followed(schema, schemas)
    if isinstance(node, Scalar) and node.broken:
        return
    if "anyOf" in schema or "oneOf" in schema:
        yield from _no_option(node, schema, schemas, what)
    elif "enum" in schema or "const" in schema:
        choices = schema["enum"] if "enum" in schema else [schema["const"]]
        if not (isinstance(node, Scalar) and node.value in choices):
            yield Misfit(start_of(node), f"takes one of {', '.join(f'`{choice}`' for choice in choices)} for {what}")
    elif schema.get("type") == "object":
        yield from _object(node, schema, schemas, what)
    elif schema.get("type") == "array":
        if not isinstance(node, Sequence):
            yield Misfit(start_of(node), f"wants a list for {what}")
            return
        for item in node.items:
            yield from misfits(item, schema.get("items", {}), schemas, f"an item of {what}")
    elif (kind := schema.get("type")) is not None:
        takes, wanted = _SCALARS[kind]
        if not (isinstance(node, Scalar) and takes(node.value)):
            yield Misfit(start_of(node), f"wants {wanted} for {what}")


def start_of(node: Node) -> Span:
    """Where a complaint about a whole node is shown."""
    if isinstance(node, Scalar):
        return node.span
    if isinstance(node, MappingNode) and node.entries:
        return node.entries[0].key.span
    return Span(node.span.start, min(node.span.start + 1, node.span.end))


def setting(entry: Entry, schema: Schema) -> str | None:
    """The property that a key means: models of google-genai know theirs in camelCase too."""
    name = entry.name
    if name is None or name in schema["properties"] or not schema.get("camel"):
        return name
    snake = re.sub(r"[A-Z]", lambda letter: f"_{letter.group().lower()}", name)
    return snake if snake in schema["properties"] else name


def _followed(schema: Schema, schemas: Mapping[str, Schema]) -> Schema:
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    return schema


def _no_option(node: Node, schema: Schema, schemas: Mapping[str, Schema], what: str) -> Iterator[Misfit]:
    """What is wrong where none of the options fits, told of the one that is most likely meant."""
    options = [_followed(option, schemas) for option in schema.get("anyOf") or schema["oneOf"]]
    kind = "array" if isinstance(node, Sequence) else "object" if isinstance(node, MappingNode) else None
    alike: list[list[Misfit]] = []
    for option in options:
        found = list(misfits(node, option, schemas, what))
        if not found:
            return
        if option.get("type") == kind:
            alike.append(found)
    wanted = [option for option in options if option.get("type") != "null"]
    if alike:
        yield from min(alike, key=len)
    elif len(wanted) == 1:
        yield from misfits(node, wanted[0], schemas, what)
    else:
        yield Misfit(start_of(node), f"takes no such value for {what}")


def _object(node: Node, schema: Schema, schemas: Mapping[str, Schema], what: str) -> Iterator[Misfit]:
    if not isinstance(node, MappingNode):
        yield Misfit(start_of(node), f"wants a mapping for {what}")
        return
    properties, extra = schema.get("properties", {}), schema.get("additionalProperties", True)
    known = {"properties": properties, "camel": schema.get("camel", False)}
    entries = [(setting(entry, known), entry) for entry in node]
    names = [name for name, _ in entries]
    if extra is False and names and not any(name in properties for name in names):
        wanted = " or ".join(f"`{name}`" for name in schema.get("required") or [*properties][:3])
        yield Misfit(start_of(node), f"takes a mapping with {wanted} for {what}")
        return
    for name, entry in entries:
        if name in properties:
            yield from misfits(entry.value, properties[name], schemas, f"`{entry.name}`")
        elif extra is False:
            hint = did_you_mean(name or "", properties)
            yield Misfit(entry.key.span, f"knows no key `{name}` in {what}{hint}")
        elif isinstance(extra, Mapping):
            yield from misfits(entry.value, extra, schemas, f"`{name}`")
    for name in schema.get("required", ()):
        if name not in names:
            named = node.get("name")
            yield Misfit(named.key.span if named is not None else start_of(node), f"wants `{name}` in {what}")


def _text(value: object) -> bool:
    return isinstance(value, str)


def _boolean(value: object) -> bool:
    return value in (0, 1) or (isinstance(value, str) and value.lower() in _BOOLEANS)


def _whole(value: object) -> bool:
    if isinstance(value, str):
        return _WHOLE.fullmatch(value) is not None
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _number(value: object) -> bool:
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, int | float)


def _null(value: object) -> bool:
    return value is None


_SCALARS: dict[str, tuple[Callable[[object], bool], str]] = {
    "string": (_text, "text"),
    "boolean": (_boolean, "`true` or `false`"),
    "integer": (_whole, "a whole number"),
    "number": (_number, "a number"),
    "null": (_null, "nothing"),
}
