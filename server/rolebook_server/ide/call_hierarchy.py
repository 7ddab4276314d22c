"""Call hierarchy: who hands over to whom. Agents call those that they transfer to, run as steps, or use as tools."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from rolebook.definition.agent import WORKFLOWS, Agent
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.text import Span
from rolebook_server.ide.definition import around
from rolebook_server.ide.names import names
from rolebook_server.ide.occurrences import Thing, may_spell, meanings, thing_at

_MOST_PEERS = 300
"""Peers that are asked whom they hand over to; each asks all others."""


class Item(Record):
    """An agent. `path` and `selection.start` find it again."""

    name: str
    detail: str
    path: str
    span: Span
    selection: Span


class Call(Record):
    """A call from or to `item`. `how` says in which way; `spans` are where the caller's file says so.

    A transfer that no text names follows from the tree, and stands at the caller's name.
    """

    item: Item
    how: tuple[str, ...]
    spans: tuple[Span, ...]


def prepare(snapshot: Snapshot, path: str, offset: int) -> tuple[Item, ...]:
    """The agents that are named at `offset`: by a name, a file, or a transfer."""
    at = thing_at(snapshot, path, offset)
    found = (_agent(snapshot, thing) for thing in at.things) if at is not None else ()
    return tuple(dict.fromkeys(_item(agent) for agent in found if agent is not None))


def outgoing(snapshot: Snapshot, path: str, offset: int) -> tuple[Call, ...]:
    """What the agent whose name is at `offset` calls, in all its trees: steps in order, tools, transfers."""
    calls = _Calls(snapshot)
    for tree, place in _places(snapshot, path, offset):
        for callee, how in _callees(tree, _tools(tree), place):
            calls.add(callee.agent, how, place.agent, callee.agent)
    return calls.all()


def incoming(snapshot: Snapshot, path: str, offset: int) -> tuple[Call, ...]:
    """Who calls the agent whose name is at `offset`."""
    calls = _Calls(snapshot)
    for tree, place in _places(snapshot, path, offset):
        tools = _tools(tree)
        for caller in _neighbours(tree, place):
            for callee, how in _callees(tree, tools, caller):
                if callee.index == place.index:
                    calls.add(caller.agent, how, caller.agent, callee.agent)
    return calls.all()


class _Calls:
    """Collects calls, one for each agent."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._found: dict[Item, tuple[dict[str, None], dict[Span, None]]] = {}
        self._told: dict[tuple[str, Span], list[tuple[Span, tuple[Thing, ...]]]] = {}

    def add(self, other: Agent, how: str, caller: Agent, callee: Agent) -> None:
        hows, spans = self._found.setdefault(_item(other), ({}, {}))
        hows[how] = None
        written = self._written(caller, callee)
        spans.update(dict.fromkeys(written or [caller.name_span]))

    def all(self) -> tuple[Call, ...]:
        return tuple(Call(item, tuple(hows), tuple(sorted(spans))) for item, (hows, spans) in self._found.items())

    def _written(self, caller: Agent, callee: Agent) -> list[Span]:
        """Where the caller's definition names the callee."""
        source = self._snapshot.source(caller.path)
        words = (callee.name, os.path.basename(callee.path))
        if source is None or not (caller.path == callee.path or any(may_spell(source, word) for word in words)):
            return []
        return [span for span, things in self._mentions(caller) if _thing(callee) in things]

    def _mentions(self, agent: Agent) -> list[tuple[Span, tuple[Thing, ...]]]:
        """Where an agent's definition names others, by name or by file."""
        key = (agent.path, agent.span)
        if key not in self._told:
            source = self._snapshot.source(agent.path)
            found = []
            for name in names(self._snapshot, source) if source is not None else ():
                if name.agent.span == agent.span and name.kind in ("agent", "file") and name.key != "name":
                    things = meanings(self._snapshot, agent.path, name)
                    agents = (_agent(self._snapshot, thing) for thing in things)
                    found.append((name.span, tuple(_thing(agent) for agent in agents if agent is not None)))
            inline = (child for child in agent.sub_agents if isinstance(child, Agent))
            found += [(child.name_span, (_thing(child),)) for child in inline]
            self._told[key] = found
        return self._told[key]


def _tools(tree: Tree) -> Mapping[int, list[Place]]:
    """The agents that are used as tools, by the places of their users."""
    found: dict[int, list[Place]] = {}
    for place in tree:
        if place.tool_of is not None:
            found.setdefault(place.tool_of, []).append(place)
    return found


def _callees(tree: Tree, tools: Mapping[int, list[Place]], place: Place) -> Iterator[tuple[Place, str]]:
    """Whom the agent at a place calls, and how: `step 1 of 3`, `sub-agent`, `tool`, `transfer`."""
    children = tree.children(place)
    ordered = place.agent.kind in ("SequentialAgent", "LoopAgent")
    for number, child in enumerate(children, 1):
        if ordered:
            yield child, f"step {number} of {len(children)}"
        elif place.agent.kind in WORKFLOWS:
            yield child, "step in parallel"
        elif place.agent.kind != "LlmAgent":
            yield child, "sub-agent"
    for other in tools.get(place.index, ()):
        yield other, "tool"
    for target in tree.transfer_targets(place):
        yield target, "transfer"


def _neighbours(tree: Tree, place: Place) -> Iterator[Place]:
    """The places that may call this one: its parent, its peers and its children, or the agent that has it as a tool."""
    parent = tree.parent(place)
    if parent is not None:
        yield parent
        yield from [peer for peer in tree.children(parent) if peer.index != place.index][:_MOST_PEERS]
    if place.tool_of is not None:
        yield tree.places[place.tool_of]
    yield from tree.children(place)[:_MOST_PEERS]


def _places(snapshot: Snapshot, path: str, offset: int) -> Iterator[tuple[Tree, Place]]:
    at = thing_at(snapshot, path, offset)
    agents = [_agent(snapshot, thing) for thing in at.things] if at is not None else []
    for agent in agents:
        for tree in snapshot.trees_with(agent.path) if agent is not None else ():
            for place in tree.of(agent) if agent is not None else ():
                yield tree, place


def _agent(snapshot: Snapshot, thing: Thing) -> Agent | None:
    """The agent that a thing is: itself, or the one in the file that it is."""
    source = snapshot.source(thing.path) if thing.kind in ("agent", "file") else None
    if source is None or thing.kind == "file":
        return source.agent if source is not None else None
    return next((agent for agent in source.agents if agent.span == thing.span), None)


def _thing(agent: Agent) -> Thing:
    return Thing("agent", agent.name, agent.path, agent.span)


def _item(agent: Agent) -> Item:
    span = around(agent.span, agent.name_span)
    return Item(agent.name or "(no name)", agent.agent_class, agent.path, span, agent.name_span)
