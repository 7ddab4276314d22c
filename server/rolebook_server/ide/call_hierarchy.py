"""Call hierarchy: who hands over to whom. Agents call those that they transfer to, run as steps, or use as tools."""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.definition.agent import WORKFLOWS, Agent
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.text import Span
from rolebook_server.ide.definition import around
from rolebook_server.ide.names import names
from rolebook_server.ide.occurrences import Thing, may_spell, meanings, thing_at


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
        for callee, how in _held(tree, place):
            calls.add(callee.agent, how, place.agent, callee.agent)
        for target in tree.transfer_targets(place):
            calls.add(target.agent, "transfer", place.agent, target.agent)
    return calls.all()


def incoming(snapshot: Snapshot, path: str, offset: int) -> tuple[Call, ...]:
    """Who calls the agent whose name is at `offset`."""
    calls = _Calls(snapshot)
    for tree, place in _places(snapshot, path, offset):
        holder = place.parent if place.tool_of is None else place.tool_of
        if holder is not None:
            for callee, how in _held(tree, tree.places[holder]):
                if callee.index == place.index:
                    calls.add(tree.places[holder].agent, how, tree.places[holder].agent, place.agent)
        for caller in _neighbours(tree, place):
            if tree.is_target(caller, place):
                calls.add(caller.agent, "transfer", caller.agent, place.agent)
    return calls.all()


class _Calls:
    """Collects calls, one for each agent."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._found: dict[Item, tuple[dict[str, None], dict[Span, None]]] = {}
        self._told: dict[str, dict[Span, dict[tuple[str, Span], list[Span]]]] = {}

    def add(self, other: Agent, how: str, caller: Agent, callee: Agent) -> None:
        hows, spans = self._found.setdefault(_item(other), ({}, {}))
        hows[how] = None
        written = self._written(caller, callee)
        spans.update(dict.fromkeys(written or [caller.name_span]))

    def all(self) -> tuple[Call, ...]:
        return tuple(Call(item, tuple(hows), tuple(sorted(spans))) for item, (hows, spans) in self._found.items())

    def _written(self, caller: Agent, callee: Agent) -> list[Span]:
        """Where the caller's definition names the callee."""
        words = (callee.name, os.path.basename(callee.path))
        if not (caller.path == callee.path or any(may_spell(self._snapshot, caller.path, word) for word in words)):
            return []
        return self._mentions(caller).get((callee.path, callee.span), [])

    def _mentions(self, agent: Agent) -> dict[tuple[str, Span], list[Span]]:
        """Where an agent's definition names others, by name or by file, or holds them."""
        if agent.path not in self._told:
            source = self._snapshot.source(agent.path)
            self._told[agent.path] = _mentions(self._snapshot, source) if source is not None else {}
        return self._told[agent.path].get(agent.span, {})


def _mentions(snapshot: Snapshot, source: Source) -> dict[Span, dict[tuple[str, Span], list[Span]]]:
    """For each agent of a file, by its span, where it names which others, by their files and spans."""
    found: dict[Span, dict[tuple[str, Span], list[Span]]] = {agent.span: {} for agent in source.agents}
    for name in names(snapshot, source):
        if name.kind in ("agent", "file") and name.access == "read":
            for thing in meanings(snapshot, source.path, name):
                if (named := _agent(snapshot, thing)) is not None:
                    found[name.agent.span].setdefault((named.path, named.span), []).append(name.span)
    for agent in source.agents:
        for child in agent.sub_agents:
            if isinstance(child, Agent):
                found[agent.span].setdefault((child.path, child.span), []).append(child.name_span)
    return found


def _held(tree: Tree, place: Place) -> Iterator[tuple[Place, str]]:
    """Whom the agent at a place runs by itself, and how; an LlmAgent hands over to its sub-agents instead."""
    children = tree.children(place)
    for number, child in enumerate(children, 1):
        if place.agent.kind in ("SequentialAgent", "LoopAgent"):
            yield child, f"step {number} of {len(children)}"
        elif place.agent.kind in WORKFLOWS:
            yield child, "step in parallel"
        elif place.agent.kind != "LlmAgent":
            yield child, "sub-agent"
    yield from ((other, "tool") for other in tree if other.tool_of == place.index)


def _neighbours(tree: Tree, place: Place) -> Iterator[Place]:
    """The places that may hand over to this one: its parent, its peers and its children."""
    parent = tree.parent(place)
    if parent is not None:
        yield parent
        yield from (peer for peer in tree.children(parent) if peer.index != place.index)
    yield from tree.children(place)


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


def _item(agent: Agent) -> Item:
    span = around(agent.span, agent.name_span)
    return Item(agent.name or "(no name)", agent.agent_class, agent.path, span, agent.name_span)
