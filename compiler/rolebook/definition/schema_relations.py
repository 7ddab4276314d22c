"""What the keywords of one JSON Schema ask of each other: names, types, limits and references that belong together."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.finding import Finding, entries_of, is_broken, not_text, wrong_type
from rolebook.definition.json_types import JSON_TYPES, is_of_type
from rolebook.definition.names import did_you_mean, nearest
from rolebook.definition.schema_keywords import KEYWORDS, PAIRS
from rolebook.problem import Fix, Severity
from rolebook.record import replace
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.text import Edit

RULE = "invalid-schema"

_ELSEWHERE = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
"""Keywords by which properties may be defined outside of `properties`."""


def validate_schema_relations(node: Mapping, root: Mapping) -> Iterator[Finding]:
    """The findings of one schema inside of `root`, whose keywords have been looked at one by one."""
    types = _types(node)
    yield from _required(node)
    yield from _useless(node, types)
    yield from _values(node, types)
    yield from _limits(node)
    yield from _reference(node, root)


def _types(node: Mapping) -> tuple[str, ...]:
    """The types that the schema names; none where it names an unknown one, so that nothing is concluded from it."""
    entry = node.get("type")
    if entry is None:
        return ()
    listed = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    names = [str(item.value) for item in listed if isinstance(item, Scalar)]
    return tuple(names) if len(names) == len(listed) and set(names) <= set(JSON_TYPES) else ()


def _required(node: Mapping) -> Iterator[Finding]:
    required, properties = node.get("required"), node.get("properties")
    if required is None or properties is None or not isinstance(properties.value, Mapping):
        return
    more = node.get("additionalProperties")
    if any(node.get(name) is not None for name in _ELSEWHERE) or (more is not None and isinstance(more.value, Mapping)):
        return
    known = [entry.key.text.text for entry in entries_of(properties.value) if isinstance(entry.key, Scalar)]
    for item in required.value.items if isinstance(required.value, Sequence) else ():
        if isinstance(item, Scalar) and isinstance(item.value, str) and item.value not in known and not item.broken:
            near = nearest(item.value, known)
            fixes = (Fix(f"Change to `{near}`", (Edit(item.span, near),)),) if near else ()
            message = f"`{item.value}` is required, but is none of the `properties`{did_you_mean(item.value, known)}"
            yield Finding(RULE, item.span, message, fixes=fixes)


def _useless(node: Mapping, types: tuple[str, ...]) -> Iterator[Finding]:
    if not types:
        return
    spoken_of = {"number" if name == "integer" else name for name in types}
    for entry in entries_of(node):
        keyword = KEYWORDS.get(entry.name or "")
        meant_elsewhere = entry.name == "required" and not isinstance(entry.value, Sequence)  # a finding already
        if keyword is not None and keyword.of and keyword.of not in spoken_of and not meant_elsewhere:
            named = " or ".join(f"`{name}`" for name in types)
            message = f"`{keyword.name}` is about values of the type `{keyword.of}`, and these are of {named}"
            yield Finding(RULE, entry.key.span, message, Severity.WARNING)
    if "array" in types and node.get("items") is None and node.get("prefixItems") is None:
        stated = node.get("type")
        if stated is not None:
            message = "this `array` doesn't say what its `items` are; Gemini and OpenAI refuse it"
            yield Finding(RULE, stated.value.span, message, Severity.WARNING)


def _values(node: Mapping, types: tuple[str, ...]) -> Iterator[Finding]:
    """Values that the schema's own `type` excludes; a wrong `default` or example harms less than a wrong choice."""
    nullable = node.get("nullable")
    if not types or (nullable is not None and isinstance(nullable.value, Scalar) and nullable.value.value is True):
        return
    for name in ("enum", "const", "default", "example", "examples"):
        entry = node.get(name)
        if entry is None:
            continue
        listed = entry.value.items if name in ("enum", "examples") and isinstance(entry.value, Sequence) else None
        for value in (entry.value,) if listed is None else listed:
            if not is_broken(value) and not any(is_of_type(value, each) for each in types):
                finding = _of_other_type(value, f"`{name}`" if listed is None else f"an item of `{name}`", types)
                yield finding if name in ("enum", "const") else replace(finding, severity=Severity.WARNING)


def _of_other_type(value: Node, what: str, types: tuple[str, ...]) -> Finding:
    expected = f"{' or '.join(f'`{name}`' for name in types)} by the schema's `type`"
    return (not_text if "string" in types else wrong_type)(value, what, expected, rule=RULE)


def _limits(node: Mapping) -> Iterator[Finding]:
    for lower, upper in PAIRS:
        low, high = node.get(lower), node.get(upper)
        least, most = _number(low), _number(high)
        if high is not None and least is not None and most is not None and least > most:
            message = f"`{upper}` is {most}, less than `{lower}`: no value fits"
            yield Finding(RULE, high.value.span, message)


def _number(entry: Entry | None) -> float | None:
    value = entry.value.value if entry is not None and isinstance(entry.value, Scalar) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _reference(node: Mapping, root: Mapping) -> Iterator[Finding]:
    entry = node.get("$ref")
    if entry is None or not isinstance(entry.value, Scalar) or not isinstance(entry.value.value, str):
        return
    target, span = entry.value.value, entry.value.span
    if not target.startswith("#"):
        message = "providers follow `$ref` only inside of the schema, as `#/$defs/NAME`"
        yield Finding(RULE, span, message, Severity.WARNING)
        return
    at: Node | None = root
    if target.startswith("#/"):
        *path, last = [part.replace("~1", "/").replace("~0", "~") for part in target[2:].split("/")]
        for part in path:
            at = _child(at, part)
        within, at = at, _child(at, last)
        if at is None:
            known = [entry.name for entry in within if entry.name] if isinstance(within, Mapping) else []
            near = nearest(last, known)
            fixed = f"{target.rpartition('/')[0]}/{near.replace('~', '~0').replace('/', '~1')}" if near else ""
            fixes = (Fix(f"Change to `{near}`", (Edit(span, f'"{fixed}"'),)),) if near and '"' not in fixed else ()
            message = f"there is no `{target}` in this schema{did_you_mean(last, known)}"
            yield Finding(RULE, span, message, fixes=fixes)


def _child(node: Node | None, name: str) -> Node | None:
    if isinstance(node, Mapping):
        entry = node.get(name)
        return entry.value if entry is not None else None
    if isinstance(node, Sequence) and name.isdecimal() and int(name) < len(node.items):
        return node.items[int(name)]
    return None
