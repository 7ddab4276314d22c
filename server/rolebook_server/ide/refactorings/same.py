"""The proof that a refactoring changes nothing for a model: before and after, every agent gets the same request."""

from __future__ import annotations

from collections.abc import Iterable

from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Place, Tree
from rolebook_server.ide.changes import Changes, Refusal, applied
from rolebook_server.ide.compiled import compiled_at

_MOST_COMPILED = 300
"""Places that are compiled; in a larger tree those of the files that change."""


def same_requests(snapshot: Snapshot, path: str, changes: Changes) -> Changes | Refusal:
    """The changes, if the trees with the file at `path` have the same agents after them, with the same requests."""
    after = applied(snapshot, changes)
    moved = dict(changes.renamed)
    for tree in snapshot.trees_with(path):
        top = tree.root.agent.path
        other = after.tree(moved.get(top, top))
        if other is None or _shape(tree) != _shape(other):
            return Refusal("the tree would be another: it can't be done here without changing more")
        for place, twin in zip(_chosen(tree, {path, *changes.edits}), _twins(tree, other, path, changes), strict=True):
            if compiled_at(snapshot, tree, place).request != compiled_at(after, other, twin).request:
                return Refusal(f"the request of `{place.agent.name}` would be another")
            if _kept(place) != _kept(twin):
                return Refusal(f"`{place.agent.name}` would be another")
    touched = [moved.get(each, each) for each in (*changes.edits, *changes.created)]
    for each in touched:
        old, new = snapshot.source(each), after.source(each)
        if new is not None and new.document.faults and not (old is not None and old.document.faults):
            return Refusal("the text around it can't be moved: it depends on what stands elsewhere in the file")
    return changes


def _shape(tree: Tree) -> list[tuple[object, ...]]:
    return [
        (place.branch, place.agent.kind, place.parent, place.tool_of, place.children, tree.template_syntax(place))
        for place in tree
    ]


def _chosen(tree: Tree, paths: set[str]) -> list[Place]:
    if len(tree.places) <= _MOST_COMPILED:
        return list(tree.places)
    return [place for place in tree if place.agent.path in paths][:_MOST_COMPILED]


def _twins(tree: Tree, other: Tree, path: str, changes: Changes) -> Iterable[Place]:
    return [other.places[place.index] for place in _chosen(tree, {path, *changes.edits})]


def _kept(place: Place) -> tuple[object, ...]:
    """What a request doesn't show of an agent."""
    agent = place.agent
    state = tuple((key.key, repr(key.sample), repr(key.default), key.required, key.type) for key in agent.state)
    steps = tuple((step.on, repr(step.call), step.say, step.transfer) for step in agent.rehearsal)
    return (agent.output_key, agent.max_iterations, dict(agent.callbacks), agent.context_compressor, state, steps,
            agent.include_contents, agent.description)  # fmt: skip
