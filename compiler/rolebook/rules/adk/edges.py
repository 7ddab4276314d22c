"""The edges of a Workflow: chains of nodes, and the graph that they make.

A node is `START`, a file, a dotted name, a mapping, or the name of a node that stands earlier.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.definition.adk_names import adk
from rolebook.definition.adk_shapes import start_of
from rolebook.record import Record
from rolebook.rules.adk.file import File, Refusal
from rolebook.rules.adk.graph import START, Edge, graph_refusals
from rolebook.rules.adk.names import resolve
from rolebook.rules.adk.references import agent_reference, config_path
from rolebook.syntax.yaml import Mapping, Node, Scalar, Sequence, value_of
from rolebook.text import Span

_EDGE = frozenset({"from_node", "to_node", "route"})
_ROUTES = (bool, int, str)


def check(file: File) -> Iterator[Refusal]:
    entry = file.node.get("edges")
    if file.cls != "Workflow" or entry is None or (isinstance(entry.value, Scalar) and entry.value.broken):
        return
    if not isinstance(entry.value, Sequence):
        yield Refusal(entry.key.span, "wants a list for `edges`")
        return
    reader = _Reader(file)
    for item in entry.value.items:
        reader.item(item)
    yield from reader.refusals
    if not reader.refusals and entry.value.items:
        yield from graph_refusals(reader.edges, reader.names, entry.key.span)


class _Target(Record):
    """A node of the graph as one place names it; `key` is the same wherever google-adk takes the same object."""

    key: str
    span: Span


class _Reader:
    """Reads the chains in order, since a name means a node only once that stands somewhere."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.names: dict[str, str] = {START: START}
        self.edges: list[Edge] = []
        self.refusals: list[Refusal] = []
        self._known: dict[str, str] = {START: START}

    def item(self, node: Node) -> None:
        if isinstance(node, Sequence):
            self._chain(node)
        elif isinstance(node, Mapping) and {"from_node", "to_node"} <= {each.name for each in node} <= _EDGE:
            self._explicit(node)
        else:
            self._refuse(node.span, "wants a list of nodes, or `from_node` and `to_node`, for each edge")

    def _chain(self, chain: Sequence) -> None:
        before: list[_Target] | None = None
        routed = False
        for element in chain.items:
            routes = isinstance(element, Mapping) and not _is_node(element)
            if isinstance(element, Mapping) and routes:
                if routed:
                    self._refuse(element.span, "takes no two mappings of routes in a row; make two edges of them")
                targets = [(route, target) for route, entry in self._routes(element) for target in self._nodes(entry)]
            else:
                targets = [(None, target) for target in self._nodes(element)]
            for source in before or ():
                self.edges += [Edge(source.key, target.key, route, target.span) for route, target in targets]
            before, routed = [target for _, target in targets], routes

    def _routes(self, node: Mapping) -> Iterator[tuple[object, Node]]:
        if not node.entries:
            self._refuse(node.span, "wants at least one route in such a mapping")
        for entry in node:
            route = value_of(entry.key)
            if not isinstance(route, _ROUTES):
                self._refuse(entry.key.span, "takes a text, a whole number or a boolean as a route")
            yield str(route), entry.value

    def _explicit(self, node: Mapping) -> None:
        ends = {name: entry.value for name in ("from_node", "to_node") if (entry := node.get(name)) is not None}
        route = node.get("route")
        written = value_of(route.value) if route is not None else None
        routes = [str(each) for each in written] if isinstance(written, list) else [written and str(written)]
        for source in self._nodes(ends["from_node"]):
            for target in self._nodes(ends["to_node"]):
                self.edges += [Edge(source.key, target.key, each, target.span) for each in routes]

    def _nodes(self, node: Node) -> Iterator[_Target]:
        """The nodes that an element stands for; a list fans out."""
        for each in node.items if isinstance(node, Sequence) else (node,):
            key = self._key(each)
            if key is not None:
                yield _Target(key, start_of(each))

    def _key(self, node: Node) -> str | None:
        if isinstance(node, Mapping):
            return self._inline(node)
        text = node.value if isinstance(node, Scalar) else None
        if not isinstance(text, str):
            self._refuse(node.span, "wants the name, the file or the dotted name of a node")
            return None
        if text in self._known:
            return self._known[text]
        if text.endswith((".yaml", ".yml")):
            self.refusals += config_path(self.file, text, node.span)
            return self._learn(text, self._name_in(text))
        if "." not in text:
            self._refuse(node.span, f"knows no node `{text}`: an edge above has to have it before its name can stand")
            return None
        name = os.path.basename(os.path.dirname(self.file.subject.path)) + text if text.startswith(".") else text
        known = resolve(self.file.subject, name)
        if isinstance(known, str):
            self._refuse(node.span, known)
        elif known.kind not in ("function", "tool", "agent", "unknown"):
            self._refuse(node.span, f"takes a function or a node, and `{text}` is neither")
        return self._learn(text, name.rpartition(".")[2])

    def _inline(self, node: Mapping) -> str | None:
        """A reference, or a node written here, which is known by its name."""
        name, path = (_text(node, key) for key in ("name", "config_path"))
        if name and name in self._known:
            return self._known[name]
        if path is not None or (node.get("code") is not None and node.get("agent_class") is None):
            self.refusals += agent_reference(self.file, node)
            name = self._name_in(path) if path is not None else None
        return self._learn(path or f"@{node.span.start}", name or "")

    def _learn(self, written: str, name: str) -> str:
        self._known[written] = written
        if name:
            self._known[name] = written
            self.names[written] = name
        return written

    def _name_in(self, target: str) -> str:
        meant = os.path.normpath(os.path.join(os.path.dirname(self.file.subject.path), target))
        source = self.file.subject.snapshot.source(meant)
        return source.agent.name if source is not None else ""

    def _refuse(self, span: Span, message: str) -> None:
        self.refusals.append(Refusal(span, message))


def _is_node(node: Mapping) -> bool:
    """Whether a mapping in a chain is a node rather than its routes."""
    names = [entry.name or "" for entry in node]
    if any(name in ("agent_class", "config_path", "func_code") for name in names):
        return True
    if names == ["code"] and _text(node, "code") is not None:
        return True
    return "name" in names and all(name in adk().schemas["LlmAgentConfig"]["properties"] for name in names)


def _text(node: Mapping, key: str) -> str | None:
    entry = node.get(key)
    value = entry.value if entry is not None else None
    return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else None
