"""Which loops nothing can end, as far as definitions tell."""

from __future__ import annotations

from rolebook.definition.agent import Agent, Reference
from rolebook.project.tree import Place, Tree

_HARMLESS = frozenset({"google_search", "url_context", "load_memory", "preload_memory", "get_user_choice"})
"""Built-in tools that end no loop. Any other may be code, and code may."""


def is_endless(tree: Tree, loop: Place) -> bool:
    """Whether a LoopAgent has no limit, and nothing in it could end it: no `exit_loop`, no code, nothing unknown."""
    if (
        loop.agent.kind != "LoopAgent"
        or loop.agent.max_iterations is not None
        or "max_iterations" in loop.agent.entries
    ):
        return False
    pending = [loop]
    while pending:
        at = pending.pop()
        if _may_end_a_loop(at.agent) or _is_incomplete(tree, at):
            return False
        pending += tree.children(at)
    return bool(tree.children(loop))


def _may_end_a_loop(agent: Agent) -> bool:
    if agent.kind in ("custom", "Workflow") or agent.callbacks or "model_code" in agent.entries:
        return True
    if not isinstance(agent.tools, tuple) or any(tool.name not in _HARMLESS for tool in agent.tools):
        return True
    if ("tools" in agent.entries and not agent.tools) or ("sub_agents" in agent.entries and not agent.sub_agents):
        return True  # what stands there couldn't be read
    return any(isinstance(child, Reference) and child.kind == "code" for child in agent.sub_agents)


def _is_incomplete(tree: Tree, place: Place) -> bool:
    """Whether one of the agent's references leads nowhere, so that not all below it is known."""
    spans = {child.span for child in place.agent.sub_agents if isinstance(child, Reference)}
    return any(bad.path == place.agent.path and bad.reference.span in spans for bad in tree.bad)
