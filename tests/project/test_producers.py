"""Whoever sets a key of state is dropped, one at a time: exactly the placeholders that depend on it must be told.

Every example and every case of a rule is such a workspace. What a placeholder should be told then is worked out by the
simulator, which runs the tree along every path; everything else that `check` says must stay as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from build import ROOT, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from literate import cases, workspace_of
from simulator import Simulator, World, definitions, leaves_in_parallel, sets_of

from rolebook.project.discover import definitions_below, is_definition, workspace_root
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import Setter, StateKeys
from rolebook.project.tree import Place, Tree
from rolebook.rules import all_rules, check_file
from rolebook.rules.rule import Subject
from rolebook.rules.timing import needed
from rolebook.syntax.markup import BARE
from rolebook.syntax.yaml.nodes import Entry, Mapping
from rolebook.text import Span

EXAMPLES = Path(__file__).parents[2] / "examples"
FLOW = (
    "unresolved-placeholder",
    "placeholder-set-later",
    "placeholder-set-in-parallel",
    "placeholder-sometimes-unset",
)
NEVER = frozenset({"placeholder-set-later", "placeholder-set-in-parallel"})
"""Both say that the key can't be there yet; which of them, test_flow.py and the cases hold."""
ABOUT_KEYS = (
    "doubled-placeholder",
    "malformed-placeholder",
    "other-syntax",
    "rejected-by-adk",
    "unsubstituted-placeholder",
    "volatile-static-text",
)
"""They judge by what sets a key as well; what they say names it."""
BY_SAMPLES = ("exhausted-budget", "oversized-prompt")
"""They measure a text, which is shorter or longer without a sample."""
OTHER_KEY = "q"
KEYS = ("facts", "draft", "review")

At = tuple[str, Span]
"""A placeholder: its file and the span of its key."""


class Producer(NamedTuple):
    """What sets a key, and its file without it; `blanked` is what differs."""

    key: str
    path: str
    span: Span
    without: str
    blanked: Span

    def __repr__(self) -> str:
        return f"`{self.key}` in {self.path} at {self.span}"


def trees_of(workspace: Snapshot, paths: Iterable[str]) -> list[Tree]:
    tops = {tree.root.agent.path: tree for path in paths for tree in workspace.trees_with(path)}
    return [tops[path] for path in sorted(tops)]


def producers(workspace: Snapshot, trees: list[Tree]) -> list[Producer]:
    """Each place in a file that sets a key of these trees."""
    found: dict[At, Producer] = {}
    for tree in trees:
        for setters in workspace.state_keys(tree).setters.values():
            for setter in setters:
                at = (setter.path, setter.span)
                if setter.kind != "config" and at not in found:
                    text = workspace.read(setter.path)
                    assert isinstance(text, str)
                    found[at] = _renamed(setter, text) if setter.kind == "tool" else _blanked(tree, setter, text)
    return list(found.values())


def _renamed(setter: Setter, text: str) -> Producer:
    """A function that sets another key instead."""
    start = text.index(setter.key, *setter.span)
    end = start + len(setter.key)
    without = text[:start] + OTHER_KEY * len(setter.key) + text[end:]
    return Producer(setter.key, setter.path, setter.span, without, Span(start, end))


def _blanked(tree: Tree, setter: Setter, text: str) -> Producer:
    """The file with blanks in place of the entry, so that everything else stays where it is."""
    start, end = _entry(tree, setter).span
    comma, before = len(text) - len(text[end:].lstrip()), text[:start].rstrip()
    if text.startswith(",", comma):
        end = comma + 1
    elif before.endswith(","):
        start = len(before) - 1
    blanks = "".join(char if char == "\n" else " " for char in text[start:end])
    return Producer(setter.key, setter.path, setter.span, text[:start] + blanks + text[end:], Span(start, end))


def _entry(tree: Tree, setter: Setter) -> Entry:
    """The `output_key`, the entry of `state`, or all of `state` where it has no other."""
    for place in tree.in_file(setter.path):
        named = place.agent.entries.get(setter.kind)
        if named is not None and setter.kind == "output_key" and named.value.span == setter.span:
            return named
        if named is not None and isinstance(named.value, Mapping):
            for entry in named.value.entries:
                if entry.key.span == setter.span:
                    return entry if len(named.value.entries) > 1 else named
    raise AssertionError(f"no entry of {setter}")


def told(workspace: Snapshot, paths: Iterable[str]) -> dict[At, set[str]]:
    """What the rules about the flow of state say of each placeholder, whatever comments and settings silence."""
    found: dict[At, set[str]] = {}
    for path in paths:
        source = workspace.source(path)
        if source is not None:
            subject = Subject(workspace, source, workspace.trees_with(path))
            for name in FLOW:
                for problem in all_rules()[name].check(all_rules()[name], subject):
                    found.setdefault((path, problem.span), set()).add(name)
    return found


def told_else(workspace: Snapshot, paths: Iterable[str], dropped: Producer) -> set[tuple[object, ...]]:
    """All that `check` says besides: no hints on what is unused, and nothing that has to do with the producer."""
    name = _words(dropped.key.rpartition(":")[2])
    return {
        (problem.path, problem.span, problem.rule, problem.severity, problem.message)
        for path in paths
        for problem in check_file(workspace, path)
        if not (
            problem.rule in FLOW + BY_SAMPLES
            or problem.rule.startswith("unused-")
            or (problem.rule in ABOUT_KEYS and name in _words(problem.message))
            or (path == dropped.path and dropped.blanked.start <= problem.span.start <= dropped.blanked.end)
        )
    }


def _words(text: str) -> str:
    """`{user.name}` and `{user name}` were likely meant as `user_name`."""
    return re.sub(r"\W", "_", text)


def placeholders(trees: list[Tree]) -> Iterator[tuple[Tree, Place, str, At]]:
    for tree in trees:
        for place in tree:
            for found in needed(tree, place):
                yield tree, place, found.placeholder.key, (place.agent.path, found.key_span)


def expected(tree: Tree, keys: StateKeys, place: Place, key: str) -> frozenset[str] | None:
    """The rules one of which must speak, none where the key is surely there; None where the simulator can't tell."""
    setters = keys.setters.get(key, ())
    if not setters:
        is_markup = tree.template_syntax(place) == "angles" and key.lower() in BARE
        return frozenset() if is_markup else frozenset({"unresolved-placeholder"})
    if any(setter.stage == "start" for setter in setters):
        return frozenset()
    if key.startswith("temp:"):
        own = {setter.stage for setter in setters if setter.place == place.index}
        return frozenset() if "before" in own else NEVER if own else frozenset({"unresolved-placeholder"})
    if any(at.tool_of is not None or at.agent.kind in ("custom", "Workflow") for at in tree) or len(tree.places) > 12:
        return None
    only = StateKeys({key: setters}, exits=keys.exits)
    sets = sets_of(only)
    simulator = Simulator(tree, sets, keys.exits, None)
    simulator.run(tree.root, World(frozenset()))
    seen = simulator.seen.get(place.index)
    if seen and all(key in state for state in seen):
        return None if leaves_in_parallel(tree, only) else frozenset()
    before = Simulator(tree, sets, keys.exits, place.index)
    before.session(frozenset())
    sometimes = any(key in state for state in before.seen.get(place.index, ()))
    return frozenset({"placeholder-sometimes-unset"}) if sometimes else NEVER


def shape(keys: StateKeys, without: At | None = None) -> dict[str, set[Setter]]:
    """The setters of each key but for one place in a file, and for the key that stands in for a dropped one."""
    left = {
        key: {setter for setter in setters if (setter.path, setter.span) != without}
        for key, setters in keys.setters.items()
        if set(key) != {OTHER_KEY}
    }
    return {key: setters for key, setters in left.items() if setters}


def told_as_simulated(workspace: Snapshot, trees: list[Tree], told: dict[At, set[str]]) -> list[tuple[At, str]]:
    """All placeholders with their keys; of each is told what the simulator says, in all trees that it stands in."""
    wanted: dict[tuple[At, str], list[frozenset[str] | None]] = {}
    for tree, place, key, at in placeholders(trees):
        wanted.setdefault((at, key), []).append(expected(tree, workspace.state_keys(tree), place, key))
    for (at, key), each in wanted.items():
        said = told.get(at, set())
        assert all(rules is None or not rules or said & rules for rules in each), (key, at, said, each)
        assert None in each or said <= frozenset().union(*(rules or () for rules in each)), (key, at, said, each)
    return list(wanted)


def check_drops(workspace: Snapshot, paths: list[str]) -> int:
    """Drops each producer of the workspace, one at a time. Gives the number of placeholders of which something else is
    told then."""
    trees = trees_of(workspace, paths)
    flow = told(workspace, paths)
    told_as_simulated(workspace, trees, flow)
    changed = 0
    for producer in producers(workspace, trees):
        after = workspace.with_texts({producer.path: producer.without})
        left = trees_of(after, paths)
        for one, other in zip(trees, left, strict=True):
            assert shape(after.state_keys(other)) == shape(workspace.state_keys(one), (producer.path, producer.span)), (
                producer
            )
        now = told(after, paths)
        for at, key in told_as_simulated(after, left, now):
            changed += now.get(at) != flow.get(at)
            assert key == producer.key or now.get(at) == flow.get(at), (producer, key, at)
        assert told_else(after, paths, producer) == told_else(workspace, paths, producer), producer
    return changed


CHANGED = {
    "analyst": 3,
    "recipes/5-personality": 3,
    "recipes/6-long-session": 3,
    "support": 4,
    "compliance": 2,
    "planner": 1,
}
"""The placeholders of an example that depend on one producer alone; elsewhere there is none."""


@pytest.mark.parametrize(
    "name", [path.parent.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("root_agent.yaml")]
)
def test_in_an_example(name: str) -> None:
    folder = str(EXAMPLES / name)
    workspace = Snapshot(DiskFiles(), workspace_root(folder))
    assert check_drops(workspace, list(definitions_below(workspace, folder))) == CHANGED.get(name, 0)


ALL = cases("rules")


@pytest.mark.parametrize("rule", sorted({case.name.partition(":")[0] for case in ALL}))
def test_in_the_cases_of_a_rule(rule: str) -> None:
    for case in ALL:
        if case.name.startswith(f"{rule}: "):
            workspace = workspace_of(case)
            paths = [f"{ROOT}/{name}" for name in case.files if is_definition(workspace, f"{ROOT}/{name}")]
            check_drops(workspace, paths)


@st.composite
def workspaces(draw: st.DrawFn) -> dict[str, Any]:
    """A small tree in which agents set and read a few keys."""
    root = draw(definitions())
    pending = [root]
    while pending:
        agent = pending.pop()
        pending += agent["sub_agents"]
        if draw(st.integers(0, 5)) == 0:
            agent["state"] = dict.fromkeys(draw(st.lists(st.sampled_from(KEYS), min_size=1, unique=True)), 1)
        if agent["agent_class"] == "LlmAgent":
            agent["instruction"] = " ".join(f"{{{key}}}" for key in KEYS)
            if draw(st.booleans()):
                agent["output_key"] = draw(st.sampled_from(KEYS))
    return root


@settings(max_examples=40)
@given(workspaces())
def test_in_any_tree(definition: dict[str, Any]) -> None:
    path = f"{ROOT}/root_agent.yaml"
    check_drops(snapshot({"root_agent.yaml": json.dumps(definition)}), [path])
