"""What keys of one mapping ask of each other: some must be there, some rule others out, one decides for the rest."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.finding import Finding, a, entries_of, not_text, short_span, wrong_type
from rolebook.definition.json_types import is_of_type
from rolebook.definition.shapes import Case, Fields
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar


def validate_relations(node: Mapping, fields: Fields) -> Iterator[Finding]:
    yield from validate_required(node, fields)
    yield from _exclusive(node, fields)
    yield from _typed(node, fields)
    if fields.by:
        yield from _by_case(node, fields)


def validate_required(node: Mapping, fields: Fields) -> Iterator[Finding]:
    """Keys that aren't there, at the key that asks for them where one does."""
    chosen = next((entry for name in reversed(fields.when) if (entry := node.get(name)) is not None), None)
    where = chosen.key.span if chosen is not None else short_span(node)
    for key in fields.keys:
        if key.required and not has(node, key.name):
            yield Finding("missing-key", where, f"this {fields.what} has no `{key.name}`")
    if fields.one_of and not any(has(node, name) for name in fields.one_of):
        names = ", ".join(f"`{name}`" for name in fields.one_of)
        yield Finding("missing-key", where, f"{a(fields.what)} has one of {names}")


def _exclusive(node: Mapping, fields: Fields) -> Iterator[Finding]:
    """Keys that rule each other out, at the later one."""
    present = [entry for entry in entries_of(node) if entry.name in fields.one_of]
    for extra in present[1:]:
        if extra.name != present[0].name:
            yield _either(fields, present[0], extra)
    for key in fields.keys:
        entry = node.get(key.name) if key.not_with else None
        for name in key.not_with:
            if entry is not None and (other := node.get(name)) is not None:
                yield _either(fields, *sorted((entry, other), key=lambda each: each.span))


def _either(fields: Fields, first: Entry, second: Entry) -> Finding:
    message = f"{a(fields.what)} has either `{first.name}` or `{second.name}`, not both"
    return Finding("wrong-value", second.key.span, message)


def _typed(node: Mapping, fields: Fields) -> Iterator[Finding]:
    """Values that aren't of the type that another key states; null is no value."""
    for key in fields.keys:
        entry, stated = (node.get(key.name), node.get(key.typed_by)) if key.typed_by else (None, None)
        wanted = stated.value.value if stated is not None and isinstance(stated.value, Scalar) else None
        if entry is None or not isinstance(wanted, str) or is_null(entry.value) or is_of_type(entry.value, wanted):
            continue
        what, expected = f"`{key.name}`", f"`{wanted}` by its `{key.typed_by}`"
        yield (not_text if wanted == "string" else wrong_type)(entry.value, what, expected)


def _by_case(node: Mapping, fields: Fields) -> Iterator[Finding]:
    chosen = node.get(fields.by)
    value = chosen.value.value if chosen is not None and isinstance(chosen.value, Scalar) else None
    case = next((case for case in fields.cases if case.value == value), None)
    if chosen is None or case is None:
        return
    for name in case.needs:
        if not has(node, name):
            yield Finding("missing-key", chosen.value.span, f"the {fields.by} `{value}` needs a `{name}`")
    for entry in entries_of(node):
        if entry.name not in case.uses and (users := _users(fields.cases, entry.name)):
            belongs = " and ".join(f"`{user}`" for user in users)
            message = f"`{entry.name}` belongs to {belongs}; the {fields.by} `{value}` has no use for it"
            yield Finding("misplaced-key", entry.key.span, message)


def _users(cases: tuple[Case, ...], name: str | None) -> list[str]:
    return [case.value for case in cases if name in case.uses]


def has(node: Mapping, name: str | None) -> bool:
    return name is not None and node.get(name) is not None


def is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None and not node.broken
