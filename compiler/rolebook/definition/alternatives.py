"""Alternatives among shapes: which one a node is meant to be, and how a bare text becomes the mapping it stands for."""

from __future__ import annotations

from rolebook.definition.finding import a
from rolebook.definition.names import nearest
from rolebook.definition.shapes import (
    Anything,
    Bool,
    Definition,
    Fields,
    JsonSchema,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Shape,
    Str,
)
from rolebook.problem import Fix
from rolebook.syntax.yaml import Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import key_text
from rolebook.text import Edit, Span


def choose(node: Node, shapes: tuple[Shape, ...]) -> Shape:
    """Which of several alternatives that fit is meant."""
    if not isinstance(node, Mapping):
        return shapes[0]
    names = [name for entry in node if (name := entry.name) is not None]
    for shape in shapes:
        if not isinstance(shape, Fields) or not shape.when:
            return shape
        if names and (all if shape.only else any)(name in shape.when for name in names):
            return shape
        if Definition() in shapes and "name" not in names and any(nearest(name, shape.when) for name in names):
            return shape  # a misspelt reference rather than an agent that lacks everything
    return shapes[-1]


def fitting(node: Node, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """The alternatives that may be meant, by the kind of node. The only mapping among other kinds needs a known key."""
    found = tuple(shape for shape in shapes if _is_kind(node, shape))
    if len(found) == 1 < len(shapes) and isinstance(found[0], Fields):
        known = [key.name for key in found[0].keys]
        entries = list(node) if isinstance(node, Mapping) else []
        return found if any(nearest(key_text(entry), known) is not None for entry in entries) else ()
    return found


def _is_kind(node: Node, shape: Shape) -> bool:
    if isinstance(shape, Anything):
        return True
    if isinstance(node, Scalar):
        return isinstance(shape, Bool | Number) or (isinstance(shape, Str) and isinstance(node.value, str))
    if isinstance(node, Sequence):
        return isinstance(shape, ListOf)
    return isinstance(shape, Fields | MapOf | Definition | JsonSchema)


def describe(shapes: tuple[Shape, ...]) -> str:
    """The alternatives in words; of mappings that are known by the same key only the last is named."""
    words: dict[str, str] = {}
    for shape in shapes:
        words[example(shape) if isinstance(shape, Fields) else _word(shape)] = _word(shape)
    return " or ".join(words.values())


def _word(shape: Shape) -> str:
    match shape:
        case Str():
            return "text"
        case Bool():
            return "`true` or `false`"
        case Number():
            return "a number"
        case ListOf():
            return "a list"
        case Fields(what=what):
            return f"{a(what)} such as `{example(shape)}: …`"
        case Definition():
            return "a definition"
    return "a mapping"


def example(fields: Fields) -> str:
    """The key that a mapping of this kind is known by."""
    return fields.bare or next(iter(fields.one_of), fields.keys[0].name)


def as_mapping(node: Node, *shapes: Shape) -> tuple[Fix, ...]:
    """A bare text as the mapping that was meant: `google_search` as `{name: google_search}`."""
    shapes = tuple(inner for shape in shapes for inner in (shape.shapes if isinstance(shape, OneOf) else (shape,)))
    fields = next((shape for shape in shapes if isinstance(shape, Fields) and shape.bare), None)
    if fields is None or not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.value:
        return ()
    start, end = node.span
    edits = (Edit(Span(start, start), f"{{{fields.bare}: "), Edit(Span(end, end), "}"))
    plain = node.style == "plain" and not set(node.text.text) & set("{}[],#:\n")
    return (Fix(f"Write `{fields.bare}: …`", edits),) if plain or node.style in ("single", "double") else ()


def as_item(node: Node, item: Shape) -> tuple[Fix, ...]:
    """One thing in place of a list as a list of one, where it stands on its key's line."""
    inner = as_mapping(node, item)
    if not inner:
        return ()
    before, after = inner[0].edits
    edits = (Edit(before.span, f"[{before.text}"), Edit(after.span, f"{after.text}]"))
    return (Fix(inner[0].title, edits),)
