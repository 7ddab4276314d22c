"""What validation finds, and the findings that every part of it makes in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rolebook.problem import Fix, Severity
from rolebook.record import Record, replace
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


def wrong_type(
    node: Node, what: str, expected: str, *, rule: str = "wrong-type", fixes: tuple[Fix, ...] = ()
) -> Finding:
    """`what` is `expected`, but the node is something else."""
    return Finding(rule, short_span(node), f"{what} is {expected}, but here is {found(node)}", fixes=fixes)


def not_text(node: Node, what: str, expected: str, *, rule: str = "wrong-type") -> Finding:
    """Text was meant. YAML guesses the types of plain words and takes brackets for its own, which quotes prevent."""
    if isinstance(node, Scalar) and node.text.text and not isinstance(node.value, str):
        written = node.text.text[:40]
        fixes = (Fix("Quote it", (Edit(node.span, f'"{node.text.text}"'),)),) if node.value is not None else ()
        advice = ": quote it" if node.value is not None else ""
        message = f"{what} is {expected}, but YAML reads `{written}` as {_kind(node.value)}{advice}"
        return Finding(rule, node.span, message, fixes=fixes)
    if (inside := _bracketed(node)) is not None:
        written = f"{{{inside}}}" if isinstance(node, Mapping) else f"[{inside}]"
        kind = "a mapping" if isinstance(node, Mapping) else "a list"
        message = f"{what} is {expected}, but YAML reads `{written}` as {kind}: quote it"
        return Finding(rule, node.span, message, fixes=_quoted(node, inside))
    if isinstance(node, Mapping) and not node.flow and node.entries:
        first = node.entries[0]
        advice = "quote the text" if len(node.entries) == 1 else "write `|` after the key to make it a text"
        message = f"{what} is {expected}, but YAML reads `{key_text(first)[:40]}:` as a key of a mapping: {advice}"
        return Finding(rule, short_span(node), message, fixes=_as_text(first) if len(node.entries) == 1 else ())
    return wrong_type(node, what, expected, rule=rule)


def shown_at(findings: Iterable[Finding], key: Span) -> Iterator[Finding]:
    """The findings of an entry's value; what would be shown on a value that was left out is shown on the key."""
    for finding in findings:
        yield finding if finding.span.start < finding.span.end else replace(finding, span=key)


def unknown_name(entry: Entry, name: str, thing: str, near: str | None, *, rule: str, taken: bool) -> Finding:
    """A key that is no known one; the nearest one is offered, unless it is `taken` by another entry already."""
    if near is None:
        return Finding(rule, entry.key.span, f"`{name}` is no {thing}", Severity.WARNING)
    fixes = () if taken else (Fix(f"Rename to `{near}`", (Edit(entry.key.span, near),)),)
    return Finding(rule, entry.key.span, f"`{name}` is no {thing}; did you mean `{near}`?", fixes=fixes)


def duplicates(node: Mapping) -> Iterator[Finding]:
    """Keys that stand twice in one mapping."""
    seen: set[str] = set()
    for entry in node.entries:
        name = entry.name
        if name is None:
            continue
        if name in seen:
            message = f"`{name}` stands here twice; YAML keeps the last one and drops the other"
            yield Finding("duplicate-key", entry.key.span, message)
        seen.add(name)


def duplicates_below(node: Node) -> Iterator[Finding]:
    """Those of a value that may hold anything. Aliases share nodes, so each is looked at once."""
    pending, seen = [node], {id(node)}
    for inner in pending:
        if isinstance(inner, Scalar):
            continue
        if isinstance(inner, Mapping):
            yield from duplicates(inner)
        below = inner.items if isinstance(inner, Sequence) else [entry.value for entry in inner.entries]
        for child in below:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)


def entries_of(node: Mapping) -> list[Entry]:
    """All entries that were written, duplicates included, and those that `<<` brings in and nothing overrides."""
    if not node.merged:
        return list(node.entries)
    own = {entry.name for entry in node.entries}
    return [*node.entries, *(entry for entry in node if entry.name not in own)]


def is_broken(node: Node) -> bool:
    """Whether the node couldn't be read as YAML; that is said already, so nothing else is."""
    return isinstance(node, Scalar) and node.broken


def a(what: str) -> str:
    """The thing with the article that it has when it is read aloud: an LlmAgent, a LoopAgent."""
    return f"{'an' if what[0].lower() in 'aeiou' or what.startswith('Llm') else 'a'} {what}"


def found(node: Node) -> str:
    """The node in words, for `…, but here is …`."""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    if node.value is None:
        return f"nothing, as YAML reads `{node.text.text}`" if node.text.text else "nothing"
    return f"{_kind(node.value).replace('a ', 'the ', 1)} `{node.text.text[:40]}`"


def short_span(node: Node) -> Span:
    """Where a complaint about a whole node is shown: on a scalar, else at the start of what it holds."""
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0].key.span
    if isinstance(node, Sequence) and node.items and isinstance(node.items[0], Scalar):
        return node.items[0].span
    return node.span if isinstance(node, Scalar) else Span(node.span.start, node.span.start + 1)


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
    return f"a {type(value).__name__}"


def _bracketed(node: Node) -> str | None:
    """The text in `{text}` or `[text]`, which YAML reads as a mapping with one key and no value, or as a list."""
    if isinstance(node, Scalar) or not node.flow:
        return None
    if isinstance(node, Sequence):
        inner = node.items[0] if len(node.items) == 1 else None
    else:
        entry = node.entries[0] if len(node.entries) == 1 else None
        empty = entry is not None and isinstance(entry.value, Scalar) and not entry.value.text.text
        inner = entry.key if entry is not None and empty else None
    plain = isinstance(inner, Scalar) and inner.style == "plain" and not inner.broken
    return inner.text.text if isinstance(inner, Scalar) and plain else None


def _as_text(entry: Entry) -> tuple[Fix, ...]:
    """Quotes around a text on one line that a `: ` made a key with a value."""
    key, value = entry.key, entry.value
    if not isinstance(key, Scalar) or not isinstance(value, Scalar) or value.style != "plain" or key.style != "plain":
        return ()
    if set('"\\\n') & {*key.text.text, *value.text.text}:
        return ()
    end = max(value.span.end, entry.span.end)
    return (Fix("Quote it", (Edit(Span(key.span.start, key.span.start), '"'), Edit(Span(end, end), '"'))),)


def _quoted(node: Node, inside: str) -> tuple[Fix, ...]:
    """Quotes around brackets that enclose hardly more than `inside`, so that no comment or line end hides in there."""
    if node.span.end - node.span.start > len(inside) + 4 or '"' in inside or "\\" in inside:
        return ()
    start, end = node.span
    return (Fix("Quote it", (Edit(Span(start, start), '"'), Edit(Span(end, end), '"'))),)
