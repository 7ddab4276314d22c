"""The outline of a definition: its agents, the keys of each, and what is in their lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rolebook.definition.agent import Agent
from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import key_text
from rolebook.text import Span

SymbolKind = Literal["agent", "key", "item"]


class Symbol(Record):
    """`span` is all that belongs to it, `selection` its name; both lie within those of the symbol around it."""

    name: str
    detail: str
    kind: SymbolKind
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()


def symbols(source: Source) -> tuple[Symbol, ...]:
    """The symbols of a definition, outermost first; none for a file that holds no mapping."""
    root = source.document.root
    if not isinstance(root, Mapping):
        return ()
    agents = {agent.span: agent for agent in source.agents}
    return (_agent(source.agent, root, agents),)


def _agent(agent: Agent, node: Mapping, agents: dict[Span, Agent]) -> Symbol:
    children = tuple(_entry(entry, agents) for entry in node.entries if key_text(entry))
    selection = agent.name_span if agent.name else node.entries[0].key.span if node.entries else node.span
    return Symbol(agent.name or "(no name)", agent.agent_class, "agent", node.span, selection, children)


def _entry(entry: Entry, agents: dict[Span, Agent]) -> Symbol:
    return Symbol(
        key_text(entry), _detail(entry.value), "key", entry.span, entry.key.span, tuple(_inside(entry.value, agents))
    )


def _inside(node: Node, agents: dict[Span, Agent]) -> Iterator[Symbol]:
    if isinstance(node, Mapping):
        yield from (_entry(entry, agents) for entry in node.entries if key_text(entry))
    elif isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping) and (agent := agents.get(item.span)) is not None:
                yield _agent(agent, item, agents)
            elif isinstance(item, Mapping) and item.entries:
                first = item.entries[0]
                name = _detail(first.value) or key_text(first)
                children = tuple(_entry(entry, agents) for entry in item.entries if key_text(entry))
                yield Symbol(name, key_text(first), "item", item.span, first.value.span, children)


_WIDEST = 60


def _detail(node: Node) -> str:
    """The beginning of a scalar's text, on one line."""
    text = " ".join(node.text.text.split()) if isinstance(node, Scalar) else ""
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
