"""Graphs of trees: drawn as in tests/cases/graph, and equal to what the tree says. To redraw, and read as a diff:

PYTHONPATH=tests python tests/project/test_graph.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from build import tree
from hypothesis import given
from hypothesis import strategies as st

from rolebook.project.drawing import dot, mermaid, outline
from rolebook.project.graph import Graph, around, graph_of

PATH = Path(__file__).parent.parent / "cases" / "graph" / "drawings.md"
CASE = re.compile(r"^## (?P<title>.+)\n```yaml\n(?P<source>(?:.*\n)*?)```\n(?P<drawn>(?:(?!## ).*\n)*)", re.MULTILINE)
DRAWINGS = {"text": outline, "mermaid": mermaid, "dot": dot}


def drawn(source: str) -> str:
    graph = graph_of(tree(source))
    return "".join(f"```{language}\n{draw(graph)}\n```\n" for language, draw in DRAWINGS.items())


@pytest.mark.parametrize("case", list(CASE.finditer(PATH.read_text(encoding="utf-8"))), ids=lambda case: case["title"])
def test_graphs_are_drawn_so(case: re.Match[str]) -> None:
    assert drawn(case["source"]) == case["drawn"].rstrip("\n") + "\n"


names = st.text("ab\"'`\\[]{}<>#&;|\n\t%é𝄞‮", max_size=6)
kinds = st.sampled_from(["LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent"])
flags = st.fixed_dictionaries(
    {}, optional={"disallow_transfer_to_parent": st.booleans(), "disallow_transfer_to_peers": st.booleans()}
)


def agent(children: st.SearchStrategy[list[dict[str, Any]]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda name, kind, own, below: {
            "name": name,
            "agent_class": kind,
            **(own if kind == "LlmAgent" else {}),
            **({"sub_agents": below} if below else {}),
        },
        names,
        kinds,
        flags,
        children,
    )


trees = st.recursive(agent(st.just([])), lambda inner: agent(st.lists(inner, max_size=3)), max_leaves=12)


@given(trees)
def test_edges_are_what_the_tree_says(definition: dict[str, Any]) -> None:
    built = tree(definition)
    graph = graph_of(built)
    assert [node.place for node in graph.nodes] == [place.index for place in built]
    transfers = {(edge.source, edge.target) for edge in graph.edges if edge.kind == "transfer"}
    assert transfers == {(place.index, to.index) for place in built for to in built.transfer_targets(place)}
    held = [(edge.source, edge.target) for edge in graph.edges if edge.kind in ("sub_agent", "step")]
    assert sorted(held) == sorted((place.parent, place.index) for place in built if place.parent is not None)


@given(trees)
def test_every_drawing_is_well_formed(definition: dict[str, Any]) -> None:
    graph = graph_of(tree(definition))
    node = r'  n\d+(?:\["[^"\[\]{}`<>\\]*<br/>[^"]*"\]|\[\["[^"\[\]{}`\\]*"\]\]|\(\["[^"]*"\]\))'
    edge = r"  n\d+ (?:<?-->|<?-\.->|==>(?:\|\d+\|)?|--o\|tool\|) n\d+"
    head, *lines = mermaid(graph).splitlines()
    assert head == "flowchart TD" and all(re.fullmatch(f"{node}|{edge}", line) for line in lines)
    first, _, *body, last = dot(graph).splitlines()
    label = r'label="(?:[^"\\]|\\.)*"'
    made = rf"  n\d+ \[shape=[\w, =]+, {label}\]|  n\d+ -> n\d+(?: \[(?:[\w=]+|{label})(?:, (?:[\w=]+|{label}))*\])?"
    assert (first, last) == ("digraph agents {", "}") and all(re.fullmatch(made, line) for line in body)
    assert len(outline(graph).split("\n")) == len(graph.nodes)


def test_one_agent_with_what_it_reaches() -> None:
    graph = graph_of(
        tree("{name: top, sub_agents: [{name: a, sub_agents: [{name: deep}]}, {name: b, sub_agents: [{name: far}]}]}")
    )
    a = next(node.id for node in graph.nodes if node.name == "a")
    seen: Graph = around(graph, a)
    assert [node.name for node in seen.nodes] == ["top", "a", "deep", "b"]


def test_too_many_peers_are_cut() -> None:
    peers = ", ".join(f"{{name: a{number}}}" for number in range(200))
    graph = graph_of(tree(f"{{name: top, sub_agents: [{peers}]}}"))
    assert not graph.complete
    assert "more transfers than are shown" in mermaid(graph)


def redraw() -> None:
    text = PATH.read_text(encoding="utf-8")
    made = CASE.sub(lambda case: f"## {case['title']}\n```yaml\n{case['source']}```\n{drawn(case['source'])}\n", text)
    PATH.write_text(made.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    redraw()
