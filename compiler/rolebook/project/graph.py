"""An agent tree as nodes and edges: who holds whom, in what order steps run, and who can hand over to whom."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias

from rolebook.definition.agent import WORKFLOWS, Agent, Reference
from rolebook.project.tree import BadReference, Place, Tree
from rolebook.record import Record
from rolebook.text import Span

_MOST_TRANSFERS = 5_000
"""Transfers that a graph holds; among n peers there are n · (n - 1), and nobody can look at more."""

NodeKind: TypeAlias = Literal[
    "LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent", "Workflow", "custom", "code", "missing"
]
"""`code` is an agent that lives in the user's Python, `missing` a file that isn't there or can't be read."""

EdgeKind: TypeAlias = Literal["sub_agent", "step", "transfer", "tool", "cycle"]
"""`step` is what a workflow runs, `tool` an agent that another calls as a tool, `cycle` a reference back to an agent
above."""


class Node(Record):
    """An agent, or what stands for one. `path` and `span` are where its name is written, or who refers to it.

    `place` is its index in the tree, None for what is not in the tree.
    """

    id: int
    name: str
    kind: NodeKind
    agent_class: str
    path: str
    span: Span
    place: int | None = None
    rounds: int | None = None
    """The most rounds of a loop."""


class Edge(Record):
    """From one node to another, by their ids; `order` counts the steps of a sequence or loop from 1.

    `path` and `span` are where it is written. A transfer follows from the shape of the tree and is written nowhere; it
    has those of its source's name.
    """

    source: int
    target: int
    kind: EdgeKind
    path: str
    span: Span
    order: int | None = None


class Graph(Record):
    """All nodes, those of the tree's places first and in their order, and all edges.

    It is not `complete` where there are too many transfers to list.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    complete: bool = True


def graph_of(tree: Tree) -> Graph:
    """The graph of a whole tree."""
    nodes = [_node(place) for place in tree]
    edges: list[Edge] = []
    children: dict[int, list[Place]] = {}
    for place in tree:
        owner = place.parent if place.tool_of is None else place.tool_of
        if owner is not None:
            children.setdefault(owner, []).append(place)
    faults: dict[tuple[str, Span], BadReference] = {(bad.path, bad.reference.span): bad for bad in tree.bad}
    for place in tree:
        orders = _orders(place.agent)
        first = len(edges)
        for child in children.get(place.index, ()):
            span = child.reference.span if child.reference is not None else child.agent.span
            kind = "tool" if child.tool_of is not None else _kind(place.agent)
            written = child.reference.span if child.reference is not None else child.agent.name_span
            edges.append(Edge(place.index, child.index, kind, place.agent.path, written, orders.get(span)))
        for reference, is_tool in _references(place.agent):
            bad = faults.get((place.agent.path, reference.span))
            kind = "tool" if is_tool else _kind(place.agent)
            if reference.kind == "code" or (bad is not None and bad.fault in ("missing", "unreadable", "too large")):
                outside: NodeKind = "code" if reference.kind == "code" else "missing"
                nodes.append(Node(len(nodes), reference.target, outside, "", place.agent.path, reference.span))
                order = None if is_tool else orders.get(reference.span)
                edges.append(Edge(place.index, len(nodes) - 1, kind, place.agent.path, reference.span, order))
            elif bad is not None and bad.fault == "cycle":
                above = next((at for at in _above(tree, place) if at.agent.path == bad.target), None)
                if above is not None:
                    edges.append(Edge(place.index, above.index, "cycle", place.agent.path, reference.span))
        edges[first:] = sorted(edges[first:], key=lambda edge: edge.span)
    transfers = list(islice(_transfers(tree), _MOST_TRANSFERS + 1))
    return Graph(tuple(nodes), (*edges, *transfers[:_MOST_TRANSFERS]), len(transfers) <= _MOST_TRANSFERS)


def around(graph: Graph, node: int) -> Graph:
    """The part of a graph that one node can see: itself, all below it, and the ends of its own edges."""
    below = {node}
    held: dict[int, list[int]] = {}
    for edge in graph.edges:
        if edge.kind in ("sub_agent", "step", "tool"):
            held.setdefault(edge.source, []).append(edge.target)
    pending = [node]
    while pending:
        new = [target for target in held.get(pending.pop(), ()) if target not in below]
        below.update(new)
        pending += new
    near = {end for edge in graph.edges if node in (edge.source, edge.target) for end in (edge.source, edge.target)}
    kept = below | near
    edges = (
        edge
        for edge in graph.edges
        if edge.source in kept and edge.target in kept and (edge.source in below or edge.target in below)
    )
    return Graph(
        tuple(each for each in graph.nodes if each.id in kept),
        tuple(edges),
        graph.complete,
    )


def _node(place: Place) -> Node:
    agent = place.agent
    return Node(
        place.index,
        agent.name,
        agent.kind,
        agent.agent_class,
        agent.path,
        agent.name_span,
        place.index,
        agent.max_iterations,
    )


def _kind(owner: Agent) -> EdgeKind:
    return "step" if owner.kind in WORKFLOWS else "sub_agent"


def _orders(agent: Agent) -> dict[Span, int]:
    """The places of a sequence's or loop's steps in their order, from 1, by where they are written."""
    if agent.kind not in ("SequentialAgent", "LoopAgent"):
        return {}
    return {child.span: number for number, child in enumerate(agent.sub_agents, 1)}


def _references(agent: Agent) -> Iterator[tuple[Reference, bool]]:
    """The agents that live elsewhere, and whether each is used as a tool."""
    for child in agent.sub_agents:
        if isinstance(child, Reference):
            yield child, False
    for tool in agent.tools if isinstance(agent.tools, tuple) else ():
        if tool.agent is not None:
            yield tool.agent, True


def _above(tree: Tree, place: Place) -> Iterator[Place]:
    """The place, what holds it or uses it as a tool, and so on up to the root."""
    at: Place | None = place
    while at is not None:
        yield at
        above = at.parent if at.tool_of is None else at.tool_of
        at = tree.places[above] if above is not None else None


def _transfers(tree: Tree) -> Iterator[Edge]:
    for place in tree:
        for target in tree.transfer_targets(place):
            yield Edge(place.index, target.index, "transfer", place.agent.path, place.agent.name_span)
