"""The proof that a rename changed one name and nothing else: the workspace is read as it would be, and compared."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from rolebook.problem import Problem, Severity
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Place, Tree
from rolebook.record import replace
from rolebook.rules import check_file
from rolebook.syntax.template import placeholders
from rolebook.text import MappedText, Span
from rolebook_server.ide.changes import Changes, Refusal, applied
from rolebook_server.ide.occurrences import Occurrence, Thing, occurrences

_MOST_CHECKED = 60
"""Files whose problems are compared beside those that change; a large tree is compared in its shape."""


def verified_agent(snapshot: Snapshot, thing: Thing, new: str, changes: Changes) -> Changes | Refusal:
    """The changes, if they rename the agent `thing` to `new` and do nothing else."""
    after = applied(snapshot, changes)
    trees = snapshot.trees_with(thing.path)

    def is_it(place: Place) -> bool:
        return place.agent.path == thing.path and place.agent.span == thing.span

    for tree in trees:
        other = after.tree(tree.root.agent.path)
        if other is None or _shape(tree, lambda place: new if is_it(place) else place.agent.name) != _shape(
            other, _name
        ):
            return Refusal(f"with the name `{new}` the tree would be another")
    spans = _new_spans(changes)
    for each in _named_after(after, trees, Thing("agent", new, thing.path)):
        if each.kind == "agent" and each.span not in spans.get(each.path, ()):
            return Refusal(f"`{new}` is named already in {os.path.basename(each.path)}")
    return _without_new_problems(snapshot, after, trees, changes)


def verified_key(
    snapshot: Snapshot, things: Iterable[Thing], old: str, new: str, changes: Changes, paths: tuple[str, ...]
) -> Changes | Refusal:
    """The changes, if they rename the state key `old` of the trees that `things` name to `new` and do nothing else."""
    after = applied(snapshot, changes)
    tops = {tree.root.agent.path: tree for tree in _trees(snapshot, things, changes, paths)}
    for top, tree in tops.items():
        other = after.tree(top)
        if other is None or _shape(tree, _name) != _shape(other, _name):
            return Refusal(f"with the key `{new}` the tree would be another")
        expected = Counter(new if key == old else key for key in _keys(snapshot, tree))
        if Counter(_keys(after, other)) != expected:
            return Refusal(f"`{old}` is named in a way that can't be renamed with certainty")
    return _without_new_problems(snapshot, after, tuple(tops.values()), changes)


def _trees(snapshot: Snapshot, things: Iterable[Thing], changes: Changes, paths: tuple[str, ...]) -> Iterator[Tree]:
    definitions = [path for path in (*changes.edits, *(thing.path for thing in things)) if not path.endswith(".py")]
    for path in dict.fromkeys(definitions):
        if os.path.basename(path) not in CONFIG_NAMES:
            yield from snapshot.trees_with(path)
            continue
        for other in paths:
            if snapshot.config(other).path == path and not snapshot.referrers(other):
                tree = snapshot.tree(other)
                if tree is not None:
                    yield tree


def _named_after(after: Snapshot, trees: Iterable[Tree], thing: Thing) -> tuple[Occurrence, ...]:
    """Whatever names the renamed agent once it has its new name."""
    for tree in trees:
        other = after.tree(tree.root.agent.path)
        for place in other.all_named(thing.name) if other is not None else ():
            if place.agent.path == thing.path:
                return occurrences(after, (replace(thing, span=place.agent.span),))
    return ()


def _name(place: Place) -> str:
    return place.agent.name


def _shape(tree: Tree, name: Callable[[Place], str]) -> list[tuple[object, ...]]:
    """A tree without its texts: who stands where, by which name, and who hands over to whom."""
    called = [name(place) for place in tree]
    return [
        (place.agent.path, called[place.index], place.agent.kind, place.parent, place.tool_of, place.children,
         tuple(called[target.index] for target in tree.transfer_targets(place)))
        for place in tree
    ]  # fmt: skip


def _keys(snapshot: Snapshot, tree: Tree) -> Iterator[str]:
    """Every naming of a state key in a tree: who sets it, and which placeholders read it."""
    for key, setters in snapshot.state_keys(tree).setters.items():
        yield from (key for _ in setters)
    for place in tree:
        for text in (place.agent.instruction, place.agent.global_instruction):
            if isinstance(text, MappedText):
                found = placeholders(text.text, tree.template_syntax(place))
                yield from (each.key for each in found if not (each.artifact or each.escaped))


def _new_spans(changes: Changes) -> dict[str, set[Span]]:
    """Where the new texts of the edits stand afterwards."""
    found: dict[str, set[Span]] = {}
    for path, edits in changes.edits.items():
        shift = 0
        spans = found.setdefault(path, set())
        for change in sorted(edits, key=lambda change: change.span):
            start = change.span.start + shift
            spans.add(Span(start, start + len(change.text)))
            shift += len(change.text) - (change.span.end - change.span.start)
    return found


def _without_new_problems(
    before: Snapshot, after: Snapshot, trees: Iterable[Tree], changes: Changes
) -> Changes | Refusal:
    """The changes, unless a file has more errors or warnings of some rule after them. Mere information may come and go:
    it depends on which names look alike."""
    around = dict.fromkeys(place.agent.path for tree in trees for place in tree)
    paths = dict.fromkeys([*changes.edits, *list(around)[:_MOST_CHECKED]])
    for path in paths:
        if path.endswith(".py"):
            continue
        old, new = _serious(before, path), _serious(after, path)
        more = Counter(problem.rule for problem in new) - Counter(problem.rule for problem in old)
        if more:
            problem = _new_one(old, new, next(iter(more)))
            return Refusal(f"{os.path.basename(path)} would have a problem more: {problem.message}")
    return changes


def _serious(snapshot: Snapshot, path: str) -> list[Problem]:
    return [problem for problem in check_file(snapshot, path) if problem.severity <= Severity.WARNING]


def _new_one(old: Iterable[Problem], new: Iterable[Problem], rule: str) -> Problem:
    known = {problem.message for problem in old}
    found = [problem for problem in new if problem.rule == rule]
    return next((problem for problem in found if problem.message not in known), found[0])
