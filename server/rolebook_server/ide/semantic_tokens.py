"""Semantic tokens: what colours a definition beyond its YAML. Keys, placeholders, agents, tools, files, rules.

The kinds are those of LSP, so that every colour theme knows them; of the modifiers, the last three are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rolebook.definition.agent import Agent
from rolebook.definition.keys import agent_key
from rolebook.models import facts, sources
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.tools import BUILT_IN
from rolebook.rules import all_rules
from rolebook.syntax.near_template import near_placeholders
from rolebook.syntax.template import TemplateSyntax, placeholders
from rolebook.syntax.yaml import Scalar
from rolebook.text import MappedText, Span
from rolebook_server.ide.names import Name, bare_span, leaves, names, syntaxes, texts_of
from rolebook_server.ide.occurrences import meanings

TYPES = (
    "class", "type", "property", "variable", "parameter", "namespace", "function", "enumMember", "string", "operator",
    "decorator",
)  # fmt: skip
MODIFIERS = ("declaration", "modification", "static", "deprecated", "defaultLibrary", "optional", "unknown", "escaped")
"""The legend. `static` marks keys whose text belongs to the static half of the prompt."""

_STATIC = frozenset({"global_instruction", "static_instruction", "identity"})
_SUBSTITUTED = ("instruction", "global_instruction")
_SCOPES = ("app", "user", "temp")


class Token(NamedTuple):
    """A token on one line. `type` is of `TYPES`, `modifiers` of `MODIFIERS`."""

    span: Span
    type: str
    modifiers: tuple[str, ...] = ()


def semantic_tokens(snapshot: Snapshot, path: str) -> tuple[Token, ...]:
    """All tokens of the definition at `path`: in order, apart from each other, none over a line end, none empty."""
    source = snapshot.source(path)
    if source is None:
        return ()
    found: list[Token] = []
    syntax = syntaxes(snapshot, source)
    set_keys = {key for tree in snapshot.trees_with(path) for key in snapshot.state_keys(tree).setters}
    for agent in source.agents:
        found += _keys(agent)
        found += _values(snapshot, agent)
        for key, text in texts_of(agent):
            if key in _SUBSTITUTED:
                found += _placeholders(text, syntax[agent.span], set_keys)
    for name in names(snapshot, source):
        found += _name(snapshot, path, name, set_keys)
    return tuple(_apart(source, found))


def _keys(agent: Agent) -> Iterator[Token]:
    """The agent's own keys; a key that this kind of agent doesn't use has no effect."""
    for key, entry in agent.entries.items():
        row = agent_key(key)
        if isinstance(entry.key, Scalar) and row is not None:
            used = agent.kind == "custom" or agent.kind in row.on
            modifiers = ("static",) if key in _STATIC else ()
            yield Token(bare_span(entry.key), "property", modifiers if used else ("deprecated",))


def _values(snapshot: Snapshot, agent: Agent) -> Iterator[Token]:
    """Values that stand for something else than a name: classes of agents, choices, models."""
    overrides = snapshot.config(agent.path).models
    for leaf in leaves(agent):
        text, span = leaf.node.text.text, bare_span(leaf.node)
        if leaf.is_key:
            continue
        if leaf.shape.means == "agent class" and agent.kind != "custom":
            yield Token(span, "type", ("defaultLibrary",))
        elif leaf.shape.choices and leaf.shape.means != "agent class":
            yield Token(span, "enumMember", () if text in leaf.shape.choices else ("unknown",))
        elif leaf.shape.means == "model":
            shutdown = facts(text, overrides).shutdown
            retired = shutdown is not None and shutdown <= sources()[0]
            yield Token(span, "enumMember", ("deprecated",) if retired else ())


def _placeholders(text: MappedText, syntax: TemplateSyntax, set_keys: set[str]) -> Iterator[Token]:
    """The signs around the keys of placeholders, and what was meant as a placeholder of a known key and is none."""
    for found in placeholders(text.text, syntax):
        if found.escaped:
            yield Token(text.source(*found.span), "string", ("escaped",))
            continue
        if _is_number(found.key, set_keys):
            continue
        (start, end), (key_start, key_end) = found.span, found.key_span
        yield Token(text.source(start, start + 1), "operator")
        if found.artifact:
            yield Token(text.source(start + 1, key_start - 1), "namespace")
        if found.optional:
            yield Token(text.source(key_end, key_end + 1), "operator", ("optional",))
        yield Token(text.source(end - 1, end), "operator")
    for near in near_placeholders(text.text, syntax):
        if near.key in set_keys:
            yield Token(text.source(*near.span), "variable", ("unknown",))


def _is_number(key: str, set_keys: set[str]) -> bool:
    """Whether `{3}` stands in a regular expression or a formula rather than for a key of state."""
    return key[0].isdigit() and key not in set_keys


def _name(snapshot: Snapshot, path: str, name: Name, set_keys: set[str]) -> Iterator[Token]:
    access = {"declare": ("declaration",), "write": ("modification",), "read": ()}[name.access]
    match name.kind:
        case "agent":
            if name.access == "declare" or meanings(snapshot, path, name):
                yield Token(name.span, "class", access)
            elif not name.prose:
                yield Token(name.span, "class", ("unknown",))
        case "state" if not _is_number(name.text, set_keys):
            yield from _state(name, (*access, *(() if name.text in set_keys else ("unknown",))))
        case "artifact":
            yield Token(name.span, "parameter")
        case "function":
            yield Token(name.span, "function")
        case "tool":
            yield Token(name.span, "function", (*access, *(("defaultLibrary",) if name.text in BUILT_IN else ())))
        case "file":
            yield Token(name.span, "namespace")
        case "rule":
            yield Token(name.span, "decorator", () if name.text in all_rules() else ("unknown",))


def _state(name: Name, modifiers: tuple[str, ...]) -> Iterator[Token]:
    """A state key, its scope (`user:`) apart where it stands as it is written."""
    kind = "property" if name.key == "state" else "variable"
    scope = name.text.partition(":")[0]
    (start, end), length = name.span, len(name.text)
    if scope in _SCOPES and ":" in name.text and end - start == length:
        yield Token(Span(start, start + len(scope)), "namespace")
        start += len(scope) + 1
    yield Token(Span(start, end), kind, modifiers)


def _apart(source: Source, tokens: list[Token]) -> Iterator[Token]:
    """The tokens in order, split at line ends; of two that overlap the later and smaller one gives way."""
    text, done = source.text, 0
    for token in sorted(tokens, key=lambda token: (token.span.start, -token.span.end)):
        start, end = max(token.span.start, 0), min(token.span.end, len(text))
        if start < done:
            continue
        while start < end:
            line = text.line_of(start)
            stop = min(end, text.line_span(line).end)
            if (start, stop) == token.span:
                yield token
                done = stop
            elif start < stop:
                yield Token(Span(start, stop), token.type, token.modifiers)
                done = stop
            start = text.line_starts[line + 1] if line + 1 < len(text.line_starts) else end
