"""What google-adk demands of a workflow's graph before it makes one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rolebook.record import Record
from rolebook.rules.adk.file import Refusal
from rolebook.text import Span

START = "START"


class Edge(Record):
    """From one node to another, both by their keys; `route` is None where it is always taken."""

    source: str
    target: str
    route: object
    span: Span


def graph_refusals(edges: Sequence[Edge], names: Mapping[str, str], whole: Span) -> Iterator[Refusal]:
    """What is wrong with the graph of these edges; `names` are those of the nodes whose names are known."""
    yield from _same_name(edges, names)
    if not any(edge.source == START or edge.target == START for edge in edges):
        yield Refusal(whole, "wants an edge from `START`")
        return
    yield from _start(edges)
    yield from _unreachable(edges, names)
    yield from _twice(edges, names)
    yield from _cycle(edges, names)


def _same_name(edges: Sequence[Edge], names: Mapping[str, str]) -> Iterator[Refusal]:
    keys = dict.fromkeys(key for edge in edges for key in (edge.source, edge.target))
    counted = Counter(names[key] for key in keys if key in names)
    for name in (name for name, count in counted.items() if count > 1):
        last = [edge.span for edge in edges if names.get(edge.target) == name][-1:]
        for span in last:
            yield Refusal(span, f"takes no two nodes of one name, and several are called `{name}`")


def _start(edges: Sequence[Edge]) -> Iterator[Refusal]:
    for edge in edges:
        if edge.source == START and edge.route is not None:
            yield Refusal(edge.span, "takes no route on an edge from `START`")
        if edge.target == START:
            yield Refusal(edge.span, "takes no edge that leads to `START`")


def _unreachable(edges: Sequence[Edge], names: Mapping[str, str]) -> Iterator[Refusal]:
    reached, pending = {START}, [START]
    while pending:
        at = pending.pop()
        new = {edge.target for edge in edges if edge.source == at} - reached
        reached |= new
        pending += new
    told: set[str] = set()
    for edge in edges:
        for key in (edge.source, edge.target):
            if key not in reached and key not in told:
                told.add(key)
                yield Refusal(edge.span, f"wants every node within reach of `START`; `{names.get(key, key)}` isn't")


def _twice(edges: Sequence[Edge], names: Mapping[str, str]) -> Iterator[Refusal]:
    """An edge that stands twice; one without a route is taken for each route."""
    seen: dict[tuple[str, str], set[object]] = {}
    for edge in edges:
        routes = seen.setdefault((edge.source, edge.target), set())
        if edge.route in routes or (routes and (None in routes or edge.route is None)):
            ends = f"`{names.get(edge.source, edge.source)}` to `{names.get(edge.target, edge.target)}`"
            yield Refusal(edge.span, f"takes an edge once, and the one from {ends} stands twice")
        routes.add(edge.route)


def _cycle(edges: Sequence[Edge], names: Mapping[str, str]) -> Iterator[Refusal]:
    """A way round on edges without routes would never end. Nodes that nothing leads on from are taken off in turn."""
    left = [edge for edge in edges if edge.route is None]
    while True:
        sources, targets = {edge.source for edge in left}, {edge.target for edge in left}
        kept = [edge for edge in left if edge.target in sources and edge.source in targets]
        if len(kept) == len(left):
            break
        left = kept
    if left:
        nodes = ", ".join(f"`{names.get(key, key)}`" for key in dict.fromkeys(edge.source for edge in left))
        yield Refusal(left[-1].span, f"takes no circle without a route, and {nodes} make one")
