"""Why an agent can't hand over to another, and on which way it could."""

from __future__ import annotations

from collections import deque

from rolebook.problem import Related
from rolebook.project.tree import Place, Tree
from rolebook.record import Record

_MOST_LOOKED_AT = 1_000
"""Transfers that are followed in search of a way; peers multiply."""


class Barrier(Record):
    """Why there is no transfer, as the rest of a sentence, and the line that says so where one does."""

    why: str
    related: tuple[Related, ...] = ()
    certain: bool = True
    """False where a class of the user's decides, or what Rolebook doesn't run."""


def barrier(tree: Tree, place: Place, target: Place) -> Barrier:
    """What keeps the agent at `place` from handing over to the one at `target`, which is no target of its own."""
    parent = tree.parent(place)
    if target.index == place.index:
        return Barrier("that is this agent itself")
    if target.tool_of is not None:
        owner = tree.places[target.tool_of]
        whose = "this agent" if owner.index == place.index else f"`{owner.agent.name}`"
        return Barrier(f"it is a tool of {whose}, which is called rather than handed over to")
    if place.tool_of is not None:
        return Barrier("this agent is used as a tool, so it only answers whoever called it")
    if parent is not None and parent.agent.kind in ("custom", "Workflow"):
        return Barrier(f"`{parent.agent.name}` is a {parent.agent.agent_class}", certain=False)
    if parent is not None and target.index == parent.index:
        if parent.agent.kind != "LlmAgent":
            return Barrier(f"its parent is a {parent.agent.kind}, which takes no transfers", _class_of(parent))
        return Barrier("`disallow_transfer_to_parent` is set", _flag(place, "disallow_transfer_to_parent"))
    if parent is not None and target.parent == parent.index:
        if parent.agent.kind != "LlmAgent":
            return Barrier(f"they are steps of a {parent.agent.kind}", _class_of(parent))
        return Barrier("`disallow_transfer_to_peers` is set", _flag(place, "disallow_transfer_to_peers"))
    hop = first_hop(tree, place, target)
    way = f"; the way leads over `{hop.agent.name}`" if hop is not None else ""
    return Barrier(f"it is neither a sub-agent, nor the parent, nor a peer{way}")


def first_hop(tree: Tree, place: Place, target: Place) -> Place | None:
    """The target of `place` from which the fewest transfers lead to `target`; None where none do."""
    seen = {place.index}
    pending: deque[tuple[Place, Place]] = deque()
    for hop in tree.transfer_targets(place):
        pending.append((hop, hop))
        seen.add(hop.index)
    left = _MOST_LOOKED_AT
    while pending and left > 0:
        at, hop = pending.popleft()
        if at.index == target.index:
            return hop
        for following in tree.transfer_targets(at):
            left -= 1
            if following.index not in seen:
                seen.add(following.index)
                pending.append((following, hop))
    return None


def _flag(place: Place, key: str) -> tuple[Related, ...]:
    entry = place.agent.entries.get(key)
    return (Related(place.agent.path, entry.key.span, "it is set here"),) if entry is not None else ()


def _class_of(parent: Place) -> tuple[Related, ...]:
    entry = parent.agent.entries.get("agent_class")
    return (Related(parent.agent.path, entry.value.span, "the class of its parent"),) if entry is not None else ()
