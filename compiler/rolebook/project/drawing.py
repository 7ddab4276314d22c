"""A graph of agents in the languages of drawings: Mermaid, Graphviz' DOT, and an outline for people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.project.graph import Edge, Graph, Node
from rolebook.record import Record

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
_MERMAID = re.compile(r"[^\w .,:/()-]")
_SHAPES = {
    "LlmAgent": ("[", "]"),
    "custom": ("[", "]"),
    "code": ("([", "])"),
    "missing": ("{{", "}}"),
}
_DOT_SHAPES = {"LlmAgent": "box", "custom": "box", "code": "box, style=rounded", "missing": "octagon, style=dashed"}
_HOLDS = ("sub_agent", "step", "tool")


class Line(Record):
    """What is drawn between two nodes: an edge, and whether the conversation can come back the same way."""

    edge: Edge
    both: bool = False


def mermaid(graph: Graph) -> str:
    """A Mermaid flowchart. Labels hold names and numbers as they are, and anything else as a character's number."""
    drawn = ["flowchart TD"]
    for node in graph.nodes:
        left, right = _SHAPES.get(node.kind, ("[[", "]]"))
        label = "<br/>".join(_MERMAID.sub(lambda match: f"#{ord(match[0])};", line) for line in _label(node))
        drawn.append(f'  n{node.id}{left}"{label}"{right}')
    for line in _lines(graph):
        edge, back = line.edge, "<" if line.both else ""
        match edge.kind:
            case "step":
                arrow = f"==>|{edge.order}|" if edge.order is not None else "==>"
            case "tool":
                arrow = "--o|tool|"
            case "cycle":
                arrow = "--x|cycle|"
            case "transfer":
                arrow = f"{back}-.->"
            case _:
                arrow = f"{back}-->"
        drawn.append(f"  n{edge.source} {arrow} n{edge.target}")
    return "\n".join([*drawn, *(f"  %% {note}" for note in _notes(graph))])


def dot(graph: Graph) -> str:
    """A directed graph for Graphviz."""
    drawn = ["digraph agents {", "  node [fontname=sans]"]
    for node in graph.nodes:
        shape = _DOT_SHAPES.get(node.kind, "component")
        drawn.append(f"  n{node.id} [shape={shape}, label={_quoted(_label(node))}]")
    for line in _lines(graph):
        edge = line.edge
        told = ["dir=both"] if line.both else []
        match edge.kind:
            case "step":
                told += ["style=bold", *([f'label="{edge.order}"'] if edge.order is not None else [])]
            case "tool":
                told += ["arrowhead=odot", 'label="tool"']
            case "cycle":
                told += ["color=red", 'label="cycle"', "constraint=false"]
            case "transfer":
                told += ["style=dashed", "constraint=false"]
        attributes = f" [{', '.join(told)}]" if told else ""
        drawn.append(f"  n{edge.source} -> n{edge.target}{attributes}")
    return "\n".join([*drawn, *(f"  // {note}" for note in _notes(graph)), "}"])


def outline(graph: Graph) -> str:
    """The tree with one agent a line, each with the names that it can hand over to."""
    names = {node.id: node for node in graph.nodes}
    held: dict[int, list[Edge]] = {}
    targets: dict[int, list[str]] = {}
    for edge in graph.edges:
        if edge.kind in _HOLDS or edge.kind == "cycle":
            held.setdefault(edge.source, []).append(edge)
        else:
            targets.setdefault(edge.source, []).append(_name(names[edge.target]))
    inner = {edge.target for edges in held.values() for edge in edges if edge.kind != "cycle"}
    drawn: list[str] = []
    pending = [(node.id, "", "", "") for node in reversed(graph.nodes) if node.id not in inner]
    while pending:
        at, before, below, note = pending.pop()
        to = f" → {', '.join(targets[at])}" if at in targets and "cycle" not in note else ""
        drawn.append(f"{before}{note}{' · '.join(_label(names[at]))}{to}")
        if "cycle" in note:
            continue
        edges = held.get(at, [])
        for index in range(len(edges) - 1, -1, -1):
            last = index == len(edges) - 1
            pending.append(
                (
                    edges[index].target,
                    f"{below}{'└─ ' if last else '├─ '}",
                    f"{below}{'   ' if last else '│  '}",
                    _note(edges[index]),
                )
            )
    return "\n".join([*drawn, *_notes(graph)])


def _note(edge: Edge) -> str:
    if edge.kind in ("tool", "cycle"):
        return f"{edge.kind}: "
    return f"{edge.order}. " if edge.order is not None else ""


def _lines(graph: Graph) -> Iterator[Line]:
    """What is drawn: where an agent holds another, that edge stands for the transfer too; two ways make one line."""
    transfers = {(edge.source, edge.target) for edge in graph.edges if edge.kind == "transfer"}
    held = {(edge.source, edge.target) for edge in graph.edges if edge.kind == "sub_agent"}
    for edge in graph.edges:
        there, back = (edge.source, edge.target), (edge.target, edge.source)
        if edge.kind != "transfer":
            yield Line(edge, edge.kind == "sub_agent" and back in transfers)
        elif there not in held and back not in held and not (back in transfers and edge.source > edge.target):
            yield Line(edge, back in transfers)


def _label(node: Node) -> tuple[str, ...]:
    """The lines of a node's label: its name and what it is."""
    match node.kind:
        case "code":
            kind = "Python code"
        case "missing":
            kind = "no such file"
        case "LoopAgent":
            kind = "LoopAgent" if node.rounds is None else f"LoopAgent, at most {_count(node.rounds, 'round')}"
        case _:
            kind = _one_line(node.agent_class)
    return _name(node), kind


def _name(node: Node) -> str:
    return _one_line(node.name) or "(no name)"


def _one_line(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _quoted(lines: tuple[str, ...]) -> str:
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'


def _notes(graph: Graph) -> Iterator[str]:
    if not graph.complete:
        yield "There are more transfers than are shown."
