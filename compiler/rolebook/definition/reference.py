"""The reference page of the keys, made from their table: `python -m rolebook.definition.reference > docs/keys.md`."""

from __future__ import annotations

from collections.abc import Iterable

from rolebook.definition.keys import AGENT_KEYS, AgentKey
from rolebook.definition.schema_keywords import KEYWORDS
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

_HEAD = """\
# Keys

<!-- Generated from the table of keys: python -m rolebook.definition.reference > docs/keys.md -->

Every key that a definition can have, first those of an agent, then those of what stands below them.
[Definitions](definitions.md) explains how they work together; `rolebook schema` prints them as a JSON Schema.
"""


def reference_page() -> str:
    """The page in Markdown."""
    sections = [_HEAD, "## Agent\n"]
    sections += [_agent_key(row) for row in AGENT_KEYS]
    sections += [_fields(fields) for fields in _all_fields()]
    sections.append(_keywords())
    return "\n".join(sections)


def _agent_key(row: AgentKey) -> str:
    facts = [_kinds(row), _value(row.key.shape), *(["required"] if row.key.required else [])]
    if row.key.aliases:
        aliases = " or ".join(f"`{alias}`" for alias in row.key.aliases)
        facts.append(f"also written {aliases} on workflow agents")
    facts += [f"not together with `{name}`" for name in row.key.not_with]
    return f"### `{row.key.name}`\n\n{' · '.join(facts)}\n\n{row.key.doc}\n"


def _kinds(row: AgentKey) -> str:
    everywhere = max(len(other.on) for other in AGENT_KEYS)
    return "all agents" if len(row.on) == everywhere else ", ".join(f"`{kind}`" for kind in sorted(row.on))


def _all_fields() -> list[Fields]:
    """The mappings below the keys of an agent, each once, in the order in which they are first met."""
    found: dict[str, Fields] = {}
    pending: list[Shape] = [row.key.shape for row in AGENT_KEYS]
    for shape in pending:
        match shape:
            case Fields():
                if shape.what not in found:
                    found[shape.what] = shape
                    pending += [key.shape for key in shape.keys]
            case OneOf(shapes):
                pending += shapes
            case ListOf(inner) | MapOf(inner):
                pending.append(inner)
    return list(found.values())


def _fields(fields: Fields) -> str:
    long = [key for key in fields.keys if "\n\n" in key.doc]
    return "\n".join(
        [
            f"## {fields.what.capitalize()}\n",
            _table(("key", "value", ""), (_row(fields, key) for key in fields.keys)),
            *_cases(fields),
            *(key.doc.partition("\n\n")[2] + "\n" for key in long),
        ]
    )


def _row(fields: Fields, key: Key) -> tuple[str, str, str]:
    if key.instead:
        return f"`{key.name}`", "", key.doc
    name = " ".join(f"`{spelling}`" for spelling in (key.name, *key.aliases))
    notes = ["Required."] if key.required else []
    notes += [f"Not together with `{other}`." for other in key.not_with]
    if key.name in fields.one_of:
        notes.append(f"Exactly one of {', '.join(f'`{other}`' for other in fields.one_of)}.")
    return name, _value(key.shape), " ".join([key.doc.partition("\n\n")[0], *notes])


def _cases(fields: Fields) -> Iterable[str]:
    if fields.cases:
        rows = (
            (f"`{case.value}`", " ".join(f"`{name}`" for name in case.uses), " ".join(f"`{n}`" for n in case.needs))
            for case in fields.cases
        )
        yield _table((f"`{fields.by}`", "uses", "needs"), rows)


def _keywords() -> str:
    rows = ((f"`{row.name}`", row.of, row.doc) for row in KEYWORDS.values())
    told = "A JSON Schema (draft 2020-12) knows these keywords, and any that starts with `x-`.\n"
    return f"## JSON Schema\n\n{told}\n{_table(('keyword', 'about', ''), rows)}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([*lines, ""])


def _value(shape: Shape) -> str:
    match shape:
        case Str(choices=choices, check=None) if choices:
            return " or ".join(f"`{choice}`" for choice in choices)
        case Str(means=means):
            return means
        case Bool():
            return "`true` or `false`"
        case Number():
            return _number(shape)
        case ListOf(item):
            return f"list of {_inner(item)}"
        case MapOf(value=value, key=key):
            return f"mapping of {key.means} to {_inner(value)}"
        case Fields(what=what):
            return _link(what)
        case OneOf(shapes):
            return " or ".join(_value(inner) for inner in shapes)
        case Definition():
            return _link("agent")
        case JsonSchema():
            return _link("JSON Schema")
        case Anything():
            return "anything"


def _inner(shape: Shape) -> str:
    return f"({_value(shape)})" if isinstance(shape, OneOf) else _value(shape)


def _number(shape: Number) -> str:
    least = f" from {shape.least}" if shape.least is not None else ""
    most = f" to {shape.most}" if shape.most is not None else ""
    return f"{'whole number' if shape.whole else 'number'}{least}{most}"


def _link(what: str) -> str:
    return f"[{what}](#{what.lower().replace(' ', '-')})"


if __name__ == "__main__":
    print(reference_page(), end="")
