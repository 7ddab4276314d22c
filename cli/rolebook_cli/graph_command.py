"""`rolebook graph`: the agents of a tree, what workflows run, and who can hand over to whom."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rolebook.definition.names import did_you_mean
from rolebook.project.drawing import dot, mermaid, outline
from rolebook.project.graph import Graph, around, graph_of
from rolebook.project.snapshot import Snapshot
from rolebook.text import Span, Text
from rolebook_cli.output import Failure, problem_text, shown_path
from rolebook_cli.project import errors_of, open_tree


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a definition, or a folder with a root_agent.yaml")
    parser.add_argument(
        "--format",
        choices=("mermaid", "dot", "json", "text"),
        default="mermaid",
        help="mermaid (the default) for Markdown, dot for Graphviz, text for a terminal",
    )
    parser.add_argument("--agent", metavar="NAME", help="this agent, all below it, and whom it can reach")


def run(args: argparse.Namespace) -> int:
    snapshot, tree = open_tree(args.path)
    graph = graph_of(tree)
    if args.agent is not None:
        place = tree.named(args.agent)
        if place is None:
            names = [place.agent.name for place in tree]
            raise Failure(f"there is no agent `{args.agent}` in this tree{did_you_mean(args.agent, names)}")
        graph = around(graph, place.index)
    match args.format:
        case "mermaid":
            print(mermaid(graph))
        case "dot":
            print(dot(graph))
        case "text":
            print(outline(graph))
        case _:
            print(json.dumps(_to_json(graph, snapshot), ensure_ascii=False, indent=2))
    errors = errors_of(snapshot, tree)
    for problem in errors:
        source = snapshot.source(problem.path)
        if source is not None:
            print(problem_text(problem, source.text, sys.stderr), file=sys.stderr)
    return 1 if errors else 0


def _to_json(graph: Graph, snapshot: Snapshot) -> dict[str, Any]:
    """Nodes and edges by ids; lines and columns count from 1, as in the JSON of `check`."""
    texts: dict[str, Text] = {}

    def where(path: str, span: Span) -> dict[str, Any]:
        if path not in texts:
            content = snapshot.read(path)
            texts[path] = Text(content if isinstance(content, str) else "")
        start, end = texts[path].position(span.start), texts[path].position(span.end)
        return {
            "file": shown_path(path),
            "range": {
                "start": {"line": start.line + 1, "column": start.character + 1},
                "end": {"line": end.line + 1, "column": end.character + 1},
            },
        }

    return {
        "nodes": [
            {
                "id": node.id,
                "name": node.name,
                "kind": node.kind,
                "class": node.agent_class,
                **where(node.path, node.span),
            }
            for node in graph.nodes
        ],
        "edges": [
            {
                "from": edge.source,
                "to": edge.target,
                "kind": edge.kind,
                **({"order": edge.order} if edge.order is not None else {}),
                **where(edge.path, edge.span),
            }
            for edge in graph.edges
        ],
        "complete": graph.complete,
    }
