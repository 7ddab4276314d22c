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

SymbolKind = Literal["agent", "key", "item", "tool", "state", "file"]
_MOST_SYMBOLS = 10_000
_WIDEST = 60


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
    return (_Outline(source).agent(source.agent, root, Span(0, len(source.text))),)


class _Outline:
    """Makes the symbols of one file, each within the one around it: in a broken file a text may end behind its mapping.

    What an alias brings in stands elsewhere and is shown there only.
    """

    def __init__(self, source: Source) -> None:
        self._agents = {agent.span: agent for agent in source.agents}
        self._left = _MOST_SYMBOLS

    def agent(self, agent: Agent, node: Mapping, outer: Span) -> Symbol:
        span = _clipped(node.span, outer)
        children = tuple(self._entries(node, span, agent))
        named = agent.name and _lies_in(agent.name_span, span)
        selection = agent.name_span if named else node.entries[0].key.span if node.entries else span
        name, selection = agent.name or "(no name)", _clipped(selection, span)
        return Symbol(name, agent.agent_class, "agent", span, selection, children)

    def _entries(
        self, node: Mapping, outer: Span, agent: Agent | None = None, kind: SymbolKind = "key"
    ) -> Iterator[Symbol]:
        """The entries of a mapping; those of an agent's `state` are state keys, and its `output_key` is one."""
        for entry in node.entries:
            if not key_text(entry) or self._left <= 0:
                continue
            self._left -= 1
            own: SymbolKind = "state" if agent is not None and entry.name == "output_key" else kind
            span = _clipped(entry.span, outer)
            children: tuple[Symbol, ...] = ()
            if _lies_in(entry.value.span, entry.span):
                children = tuple(self._inside(entry, span, is_agents=agent is not None))
            selection = _clipped(entry.key.span, span)
            yield Symbol(key_text(entry), _detail(entry.value), own, span, selection, children)

    def _inside(self, entry: Entry, outer: Span, *, is_agents: bool) -> Iterator[Symbol]:
        node = entry.value
        if isinstance(node, Mapping):
            yield from self._entries(node, outer, kind="state" if is_agents and entry.name == "state" else "key")
        elif isinstance(node, Sequence):
            for item in node.items:
                if isinstance(item, Mapping) and item.entries and _lies_in(item.span, node.span) and self._left > 0:
                    self._left -= 1
                    agent = self._agents.get(item.span)
                    if agent is not None:
                        yield self.agent(agent, item, outer)
                    else:
                        yield self._item(item, outer, is_tool=is_agents and entry.name == "tools")

    def _item(self, item: Mapping, outer: Span, *, is_tool: bool) -> Symbol:
        span, first = _clipped(item.span, outer), item.entries[0]
        name = _detail(first.value) or key_text(first) or "(no name)"
        kind: SymbolKind = "tool" if is_tool else "file" if first.name == "config_path" else "item"
        selection = _clipped(first.value.span if _lies_in(first.value.span, span) else first.key.span, span)
        return Symbol(name, key_text(first), kind, span, selection, tuple(self._entries(item, span)))


def _clipped(span: Span, outer: Span) -> Span:
    start = min(max(span.start, outer.start), outer.end)
    return Span(start, min(max(span.end, start), outer.end))


def _lies_in(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _detail(node: Node) -> str:
    """The beginning of a scalar's text, on one line."""
    text = " ".join(node.text.text[: 4 * _WIDEST].split()) if isinstance(node, Scalar) else ""
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
