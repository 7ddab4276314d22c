"""A node held against the table of keys. Every complaint is a finding of one of the rules about files (spec §7)."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Kind
from rolebook.definition.keys import agent_key, fields_of
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
from rolebook.problem import Fix, Severity
from rolebook.record import Record
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import key_text
from rolebook.text import Edit, Span


class Finding(Record):
    """What validation found; `severity` is set where it isn't the rule's usual one."""

    rule: str
    span: Span
    message: str
    severity: Severity | None = None
    fixes: tuple[Fix, ...] = ()


def validate_agent(node: Mapping, kind: Kind) -> Iterator[Finding]:
    """The findings of one agent's own mapping. Inline sub-agents are left to whoever lowers them."""
    if kind == "custom":
        fields = Fields("agent", (row.key,)) if (row := agent_key("name")) else Fields("agent", ())
        yield from _duplicates(node)
        yield from _required(node, fields)
        return
    fields = fields_of(kind)
    yield from _duplicates(node)
    for entry in node.entries:
        name = entry.name
        if name is None:
            yield from _odd_key(entry)
        elif (key := fields.find(name)) is not None:
            yield from validate(entry.value, key.shape, f"`{name}`")
        elif (row := agent_key(name)) is not None:
            kinds = " and ".join(sorted(f"`{kind}`" for kind in row.on))
            yield Finding("misplaced-key", entry.key.span, f"`{name}` belongs to {kinds}; `{kind}` has no use for it")
        else:
            yield _unknown(entry, name, fields)
    yield from _required(node, fields)


def validate(node: Node, shape: Shape, what: str) -> Iterator[Finding]:
    """The findings of one value; `what` names it in messages."""
    if isinstance(node, Scalar) and node.broken:
        return
    match shape:
        case Anything() | Definition():
            return
        case OneOf(shapes):
            yield from _validate_one_of(node, shapes, what)
        case Str():
            yield from _validate_str(node, shape, what)
        case Bool():
            if not (isinstance(node, Scalar) and isinstance(node.value, bool)):
                yield _wrong_type(node, what, "`true` or `false`")
        case Number():
            yield from _validate_number(node, shape, what)
        case ListOf(item):
            if not isinstance(node, Sequence):
                yield _wrong_type(node, what, "a list")
                return
            for element in node.items:
                yield from validate(element, item, f"an item of {what}")
        case MapOf(value):
            if not isinstance(node, Mapping):
                yield _wrong_type(node, what, "a mapping")
                return
            yield from _duplicates(node)
            for entry in node.entries:
                yield from validate(entry.value, value, f"`{key_text(entry)}`")
        case JsonSchema():
            if not isinstance(node, Mapping):
                yield _wrong_type(node, what, "a JSON Schema, which is a mapping")
        case Fields():
            yield from _validate_fields(node, shape, what)


def _validate_one_of(node: Node, shapes: tuple[Shape, ...], what: str) -> Iterator[Finding]:
    fitting = [shape for shape in shapes if _fits(node, shape)]
    if not fitting:
        yield _wrong_type(node, what, " or ".join(dict.fromkeys(_describe(shape) for shape in shapes)))
        return
    yield from validate(node, choose(node, fitting), what)


def choose(node: Node, shapes: list[Shape]) -> Shape:
    """Which of several fitting alternatives is meant."""
    for shape in shapes:
        if isinstance(shape, Fields) and shape.when and isinstance(node, Mapping):
            names = [entry.name for entry in node]
            whole = shape.what == "state key"  # a sample that is a mapping may hold any of these names by chance
            if names and (all if whole else any)(name in shape.when for name in names):
                return shape
        elif not (isinstance(shape, Fields) and shape.when):
            return shape
    return shapes[-1]


def _fits(node: Node, shape: Shape) -> bool:
    if isinstance(node, Scalar):
        return isinstance(shape, Str | Bool | Number | Anything)
    if isinstance(node, Sequence):
        return isinstance(shape, ListOf | Anything)
    return isinstance(shape, Fields | MapOf | Definition | JsonSchema | Anything)


def _validate_str(node: Node, shape: Str, what: str) -> Iterator[Finding]:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        yield _wrong_type(node, what, "text")
        return
    text = node.value
    if shape.check is not None and text:
        if (complaint := shape.check(text)) is not None:
            yield Finding("invalid-name" if shape.means == "agent name" else "wrong-value", node.span, complaint)
    elif shape.choices and text not in shape.choices:
        near = nearest(text, shape.choices)
        fix = (Fix(f"Change to `{near}`", (Edit(node.span, near),)),) if near and node.style == "plain" else ()
        known = ", ".join(f"`{choice}`" for choice in shape.choices)
        yield Finding("wrong-value", node.span, f"{what} is one of {known}, not `{text}`", fixes=fix)
    if not text and not shape.empty:
        yield Finding("wrong-value", node.span, f"{what} is empty")


def _validate_number(node: Node, shape: Number, what: str) -> Iterator[Finding]:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int if shape.whole else int | float):
        yield _wrong_type(node, what, "a whole number" if shape.whole else "a number")
    elif shape.least is not None and value < shape.least:
        yield Finding("wrong-value", node.span, f"{what} is at least {shape.least}, not {value}")
    elif shape.most is not None and value > shape.most:
        yield Finding("wrong-value", node.span, f"{what} is at most {shape.most}, not {value}")


def _validate_fields(node: Node, fields: Fields, what: str) -> Iterator[Finding]:
    if not isinstance(node, Mapping):
        example = fields.one_of[0] if fields.one_of else fields.keys[0].name
        yield _wrong_type(node, what, f"a mapping, such as `{example}: …`")
        return
    yield from _duplicates(node)
    for entry in node.entries:
        name = entry.name
        if name is None:
            yield from _odd_key(entry)
        elif (key := fields.find(name)) is not None:
            yield from validate(entry.value, key.shape, f"`{name}`")
        else:
            yield _unknown(entry, name, fields)
    yield from _required(node, fields)
    present = [entry for entry in node.entries if entry.name in fields.one_of]
    if fields.one_of and not present:
        names = ", ".join(f"`{name}`" for name in fields.one_of)
        yield Finding("missing-key", _short(node), f"a {fields.what} has one of {names}")
    for extra in present[1:]:
        yield Finding(
            "wrong-value", extra.key.span, f"a {fields.what} has either `{present[0].name}` or `{extra.name}`, not both"
        )


def _required(node: Mapping, fields: Fields) -> Iterator[Finding]:
    for key in fields.keys:
        if key.required and node.get(key.name) is None:
            yield Finding("missing-key", _short(node), f"this {fields.what} has no `{key.name}`")


def _duplicates(node: Mapping) -> Iterator[Finding]:
    first: dict[str, Entry] = {}
    for entry in node.entries:
        name = entry.name
        if name is None:
            continue
        if name in first:
            yield Finding(
                "duplicate-key",
                entry.key.span,
                f"`{name}` stands here twice; YAML keeps the last one and drops the other",
            )
        first.setdefault(name, entry)


def _unknown(entry: Entry, name: str, fields: Fields) -> Finding:
    known = [spelling for key in fields.keys for spelling in (key.name, *key.aliases)]
    near = nearest(name, known)
    if near is None:
        return Finding("unknown-key", entry.key.span, f"`{name}` is no key of a {fields.what}", Severity.WARNING)
    fix = Fix(f"Rename to `{near}`", (Edit(entry.key.span, near),))
    return Finding(
        "unknown-key", entry.key.span, f"`{name}` is no key of a {fields.what}; did you mean `{near}`?", fixes=(fix,)
    )


def _odd_key(entry: Entry) -> Iterator[Finding]:
    if not (isinstance(entry.key, Scalar) and entry.key.broken):
        yield Finding("wrong-type", entry.key.span, "a key is text here")


def _wrong_type(node: Node, what: str, expected: str) -> Finding:
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, Scalar):
        found = "nothing" if node.value is None else f"{_type_name(node.value)} `{node.text.text[:40]}`"
        if expected == "text" and isinstance(node.value, bool | int | float):
            fixes = (Fix("Quote it", (Edit(node.span, f'"{node.text.text}"'),)),)
    else:
        found = "a list" if isinstance(node, Sequence) else "a mapping"
    return Finding("wrong-type", _short(node), f"{what} is {expected}, but here is {found}", fixes=fixes)


def _type_name(value: object) -> str:
    match value:
        case bool():
            return "the boolean"
        case int() | float():
            return "the number"
        case str():
            return "the text"
    return f"the {type(value).__name__}"


def _describe(shape: Shape) -> str:
    match shape:
        case Str():
            return "text"
        case Bool():
            return "`true` or `false`"
        case Number():
            return "a number"
        case ListOf():
            return "a list"
        case Fields(what=what, keys=keys, one_of=one_of):
            return f"a {what} such as `{one_of[0] if one_of else keys[0].name}: …`"
    return "a mapping"


def _short(node: Node) -> Span:
    """Where a complaint about a whole node is shown: on a scalar, else at the start of what it holds."""
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0].key.span
    if isinstance(node, Sequence):
        return (
            node.items[0].span
            if node.items and not isinstance(node.items[0], Mapping)
            else Span(node.span.start, node.span.start + 1)
        )
    return node.span if isinstance(node, Scalar) else Span(node.span.start, node.span.start + 1)
