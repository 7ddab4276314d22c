"""The names in a definition, each with its place: agents, state keys, artifacts, files, Python objects, tools, rules.

Keys are followed along the table of keys (`definition.keys`), whose shapes say what a text stands for; names in texts
are placeholders and transfers. What a name leads to is `occurrences`' part.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from rolebook.definition.agent import Agent
from rolebook.definition.alternatives import choose, fitting
from rolebook.definition.keys import agent_key
from rolebook.definition.shapes import Fields, ListOf, MapOf, Meaning, OneOf, Shape, Str
from rolebook.definition.values import mapped_of
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.rules.ignore import ignores
from rolebook.syntax.template import TemplateSyntax, placeholders
from rolebook.syntax.transfers import TRANSFER_TOOL, Mention, mentions
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.text import MappedText, Span

NameKind: TypeAlias = Literal["agent", "state", "artifact", "file", "function", "tool", "rule", "anchor"]
Access: TypeAlias = Literal["declare", "write", "read"]

_FILES = (".yaml", ".yml", ".agent.md")
_REHEARSED = frozenset({"input", "result"})
"""What a placeholder of a rehearsal means before any state key."""

_LONGEST = 200_000
"""Characters of a text in which transfers are looked for."""

_PLAIN: dict[Meaning, tuple[NameKind, Access]] = {
    "state key": ("state", "write"),
    "file": ("file", "read"),
    "dotted name": ("function", "read"),
    "callback": ("function", "read"),
    "tool name": ("tool", "declare"),
}


class Name(NamedTuple):
    """One name and where it stands in its file, without quotes.

    `agent` is the definition that it stands in, `key` that one's own key above it; a rule's name has neither.
    `prose` says that a text names an agent in words rather than in a call or an entry.
    """

    kind: NameKind
    text: str
    span: Span
    access: Access
    agent: Agent
    key: str = ""
    prose: bool = False


_MOST_REMEMBERED = 2_000
_remembered: dict[str, tuple[Source, dict[Span, TemplateSyntax], tuple[Name, ...]]] = {}
"""The names of files by path. Every feature asks for them, and an edit changes one file."""


class Leaf(Record):
    """A scalar that the table of keys knows, and what it stands for. `path` are the keys to it, the agent's own first;
    `is_key` says that it is a key of the user's own rather than a value."""

    node: Scalar
    shape: Str
    path: tuple[str, ...]
    is_key: bool = False


def names(snapshot: Snapshot, source: Source) -> tuple[Name, ...]:
    """All names of a file, each place once, in the order of the text; remembered as long as the file is the same."""
    syntax = syntaxes(snapshot, source)
    known = _remembered.get(source.path)
    if known is not None and known[0] is source and known[1] == syntax:
        return known[2]
    found = _names(source, syntax)
    if len(_remembered) >= _MOST_REMEMBERED:
        _remembered.clear()
    _remembered[source.path] = (source, syntax, found)
    return found


def _names(source: Source, syntax: dict[Span, TemplateSyntax]) -> tuple[Name, ...]:
    found: dict[tuple[Span, NameKind], Name] = {}
    for agent in source.agents:
        for name in names_of(agent, syntax[agent.span]):
            found.setdefault((name.span, name.kind), name)
    for ignore in ignores(source):
        found.setdefault((ignore.span, "rule"), Name("rule", ignore.rule, ignore.span, "read", source.agent))
    return tuple(sorted(found.values(), key=lambda name: (name.span, name.kind)))


def names_of(agent: Agent, syntax: TemplateSyntax) -> Iterator[Name]:
    """The names of one definition, in no order; those of inline sub-agents are theirs."""
    for leaf in leaves(agent):
        yield from _named(agent, leaf)
    yield from _rehearsed_calls(agent)
    for tool in agent.tools if isinstance(agent.tools, tuple) else ():
        if tool.agent is not None:
            yield Name(
                "file", tool.agent.target, without_quotes(tool.agent.span, tool.agent.target), "read", agent, "tools"
            )
    for key, text in texts_of(agent):
        if key in ("instruction", "global_instruction"):
            yield from _placeholders(agent, key, text, syntax)
        for mention in told(text.text):
            span = text.source(mention.start, mention.end)
            if span.end > span.start:
                yield Name("agent", mention.name, span, "read", agent, key, prose=mention.written != "call")


def syntaxes(snapshot: Snapshot, source: Source) -> dict[Span, TemplateSyntax]:
    """How the placeholders of each of a file's agents are written, where the agent stands first; by their spans."""
    found: dict[Span, TemplateSyntax] = {}
    for tree in snapshot.trees_with(source.path):
        for place in tree.in_file(source.path):
            if place.agent.span not in found:
                found[place.agent.span] = tree.template_syntax(place)
    default = snapshot.config(source.path).template_syntax
    return {agent.span: found.get(agent.span, agent.template_syntax or default) for agent in source.agents}


def texts_of(agent: Agent) -> Iterator[tuple[str, MappedText]]:
    """The texts of an agent that a model may read, with their keys."""
    if agent.kind in ("LlmAgent", "custom"):
        for key, text in (
            ("global_instruction", agent.global_instruction),
            ("static_instruction", agent.static_instruction),
            ("identity", agent.identity),
            ("instruction", agent.instruction),
        ):
            if isinstance(text, MappedText):
                yield key, text
    description = mapped_of(agent.entries.get("description"))
    if description is not None:
        yield "description", description


@lru_cache(maxsize=2048)
def told(text: str) -> tuple[Mention, ...]:
    """The agents that a text hands over to (`syntax.transfers`), remembered: texts change one at a time."""
    return mentions(text[:_LONGEST])


def leaves(agent: Agent) -> Iterator[Leaf]:
    """The scalars of a definition that the table of keys knows, each node once: aliases share theirs."""
    seen: set[int] = set()
    for name, entry in agent.entries.items():
        row = agent_key(name)
        if row is not None and (agent.kind == "custom" or agent.kind in row.on):
            yield from _leaves(entry.value, row.key.shape, (name,), seen)


def _leaves(node: Node, shape: Shape, path: tuple[str, ...], seen: set[int]) -> Iterator[Leaf]:
    if isinstance(shape, OneOf):
        fits = fitting(node, shape.shapes)
        if not fits:
            return
        shape = choose(node, fits)
        if isinstance(shape, OneOf):
            yield from _leaves(node, shape, path, seen)
            return
    if isinstance(node, Scalar):
        if isinstance(shape, Str) and not node.broken and node.value is not None:
            yield Leaf(node, shape, path)
        return
    if id(node) in seen:
        return
    seen.add(id(node))
    match node, shape:
        case Sequence(items=items), ListOf(item=inner):
            for item in items:
                yield from _leaves(item, inner, path, seen)
        case Mapping(), MapOf(value=value, key=key):
            for entry in node:
                if isinstance(entry.key, Scalar) and not entry.key.broken:
                    yield Leaf(entry.key, key, path, is_key=True)
                yield from _leaves(entry.value, value, path, seen)
        case Mapping(), Fields():
            for entry in node:
                if (known := shape.find(entry.name or "")) is not None:
                    yield from _leaves(entry.value, known.shape, (*path, known.name), seen)


def _named(agent: Agent, leaf: Leaf) -> Iterator[Name]:
    """What one scalar names, by what the table says that it stands for."""
    text, key, means = leaf.node.text.text, leaf.path[0], leaf.shape.means
    span = bare_span(leaf.node)
    if not text:
        return
    if leaf.is_key and key == "state":
        yield Name("state", text, span, "declare", agent, key)
    elif leaf.is_key:
        yield Name("tool", text, span, "read", agent, key)
    elif means == "agent name":
        yield Name("agent", text, span, "declare" if key == "name" else "read", agent, key)
    elif means == "tool":
        yield Name("function" if "." in text else "tool", text, span, "read", agent, key)
    elif means == "agent class" and agent.kind == "custom":
        yield Name("function", text, span, "read", agent, key)
    elif means in _PLAIN:
        kind, access = _PLAIN[means]
        yield Name(kind, text, span, access, agent, key)
    elif key == "edges" and text.endswith(_FILES):
        yield Name("file", text, span, "read", agent, key)
    elif key == "edges" and "." in text:
        yield Name("function", text, span, "read", agent, key)
    elif leaf.path == ("rehearsal", "say"):
        yield from _rehearsed(agent, leaf.node)


def _rehearsed_calls(agent: Agent) -> Iterator[Name]:
    """The agents and the state keys in the arguments of scripted tool calls."""
    entry = agent.entries.get("rehearsal") if agent.kind in ("LlmAgent", "custom") else None
    seen: set[int] = set()
    for step in entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ():
        call = step.get("call") if isinstance(step, Mapping) else None
        for called in call.value if call is not None and isinstance(call.value, Mapping) else ():
            for name, node in _arguments(called, seen):
                if called.name == TRANSFER_TOOL and name == "agent_name":
                    yield Name("agent", node.text.text, bare_span(node), "read", agent, "rehearsal")
                yield from _rehearsed(agent, node)


def _arguments(call: Entry, seen: set[int]) -> Iterator[tuple[str, Scalar]]:
    """The texts in the arguments of a call with the arguments' names; nodes in `seen` are passed over."""
    arguments = list(call.value) if isinstance(call.value, Mapping) else []
    pending: list[tuple[str, Node]] = [(entry.name or "", entry.value) for entry in arguments]
    for name, node in pending:
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Scalar):
            if isinstance(node.value, str) and node.value and not node.broken:
                yield name, node
        elif isinstance(node, Sequence):
            pending += [(name, item) for item in node.items]
        else:
            pending += [(name, entry.value) for entry in node]


def _rehearsed(agent: Agent, node: Scalar) -> Iterator[Name]:
    """The state keys in a text of a rehearsal, which are written in braces whatever the instruction does."""
    for name in _placeholders(agent, "rehearsal", node.text, "braces"):
        if name.kind == "state" and name.text not in _REHEARSED:
            yield name


def _placeholders(agent: Agent, key: str, text: MappedText, syntax: TemplateSyntax) -> Iterator[Name]:
    for found in placeholders(text.text, syntax):
        span = text.source(*found.key_span)
        if not found.escaped and span.end > span.start:
            yield Name("artifact" if found.artifact else "state", found.key, span, "read", agent, key)


def bare_span(node: Scalar) -> Span:
    """Where the text of a scalar stands, without quotes or the mark of a block text."""
    return node.text.source(0, len(node.text.text)) if node.text.text else node.span


def without_quotes(span: Span, text: str) -> Span:
    """The span of a text whose node isn't at hand: quotes, if any, are what it has more than its text."""
    return Span(span.start + 1, span.end - 1) if span.end - span.start == len(text) + 2 else span
