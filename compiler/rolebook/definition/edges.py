"""The edges of a Workflow (ADK 2): chains of nodes, of which the files and functions are of interest here.

A node is a text, or the value of a mapping from routes to nodes. `START` and names aside, one that ends like a
definition's file names one, and one with a dot is a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Reference
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar

_FILES = (".yaml", ".yml", ".agent.md")


def edge_files(entry: Entry | None) -> tuple[Reference, ...]:
    """The definition files that edges name, each once, in the order of the text."""
    found: dict[str, Reference] = {}
    for node in edge_texts(entry):
        text = node.text.text
        if text.endswith(_FILES):
            found.setdefault(text, Reference(text, "config_path", node.span))
    return tuple(found.values())


def edge_functions(entry: Entry | None) -> tuple[str, ...]:
    """The dotted names of functions in edges, each once."""
    texts = (node.text.text for node in edge_texts(entry))
    return tuple(dict.fromkeys(text for text in texts if "." in text and not text.endswith(_FILES)))


def edge_texts(entry: Entry | None) -> Iterator[Scalar]:
    """The texts in edges: files, functions, names and `START`, each node once."""
    pending: list[Node] = [entry.value] if entry is not None else []
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            if isinstance(node.value, str):
                yield node
        elif id(node) not in seen:
            seen.add(id(node))
            inside = [entry.value for entry in node] if isinstance(node, Mapping) else list(node.items)
            pending += reversed(inside)
