"""What a tree may hold that this runner doesn't run. It is named before anything runs, never left out in silence."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Reference
from rolebook.project.tree import Tree


def unrunnable(tree: Tree) -> tuple[str, ...]:
    """A sentence for each agent that can't be run: a `Workflow`, a class of the user's, an agent in code."""
    return tuple(_problems(tree))


def _problems(tree: Tree) -> Iterator[str]:
    for place in tree:
        agent = place.agent
        if agent.kind in ("Workflow", "custom"):
            yield f"agent `{agent.name}` is a `{agent.agent_class}`, which Rolebook checks but doesn't run"
        for child in agent.sub_agents:
            if isinstance(child, Reference) and child.kind == "code":
                yield f"agent `{agent.name}` has the sub-agent `{child.target}` in code, which Rolebook doesn't run"
