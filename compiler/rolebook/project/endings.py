"""Which loops nothing can end, as far as definitions tell, and who waits for them in vain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rolebook.definition.agent import Agent, Reference

if TYPE_CHECKING:
    from rolebook.project.tree import Tree

_HARMLESS = frozenset({"google_search", "url_context", "load_memory", "preload_memory", "get_user_choice"})
"""Built-in tools that end no loop. Any other may be code, and code may."""


def endless_loops(tree: Tree) -> frozenset[int]:
    """The places of LoopAgents that have no limit and that nothing in them could end: no `exit_loop`, no code, nothing
    unknown."""
    may_end: set[int] = set()
    found: set[int] = set()
    for place in reversed(tree.places):  # children stand after their parents
        agent = place.agent
        below = any(child in may_end for child in place.children)
        unknown = any(
            isinstance(each, Reference) and (agent.path, each.span) in tree.unread for each in agent.sub_agents
        )
        if below or unknown or _may_end_a_loop(agent):
            may_end.add(place.index)
        elif agent.kind == "LoopAgent" and "max_iterations" not in agent.entries and place.children:
            found.add(place.index)
    return frozenset(found)


def waiting(tree: Tree, endless: frozenset[int]) -> Mapping[int, int]:
    """The steps of sequences that come after one that never ends, each with the loop that keeps it waiting."""
    stuck: dict[int, int] = {index: index for index in endless}
    found: dict[int, int] = {}
    for place in reversed(tree.places):
        if place.agent.kind in ("SequentialAgent", "ParallelAgent"):
            loop: int | None = None
            for child in place.children:
                if loop is not None and place.agent.kind == "SequentialAgent":
                    found[child] = loop
                loop = loop if loop is not None else stuck.get(child)
            if loop is not None:
                stuck[place.index] = loop
    return found


def _may_end_a_loop(agent: Agent) -> bool:
    if agent.kind in ("custom", "Workflow") or agent.callbacks or "model_code" in agent.entries:
        return True
    if not isinstance(agent.tools, tuple) or any(tool.name not in _HARMLESS for tool in agent.tools):
        return True
    if ("tools" in agent.entries and not agent.tools) or ("sub_agents" in agent.entries and not agent.sub_agents):
        return True  # what stands there couldn't be read
    return any(isinstance(child, Reference) and child.kind == "code" for child in agent.sub_agents)
