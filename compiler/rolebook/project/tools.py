"""The declarations of an agent's tools, as far as definitions and Python sources tell them."""

from __future__ import annotations

from rolebook.definition.agent import Tool
from rolebook.definition.declaration import NO_PARAMETERS, Declaration
from rolebook.project.tree import Place

EXIT_LOOP = Declaration("exit_loop", "End the loop that this agent is part of.", NO_PARAMETERS)

BUILT_IN = {tool.name: tool for tool in (EXIT_LOOP,)}
"""The tools that Rolebook's runner brings along."""


def declarations(place: Place) -> dict[str, Declaration]:
    """By the name that the definition gives a tool. What only a run can tell is left out."""
    tools = place.agent.tools if isinstance(place.agent.tools, tuple) else ()
    return {tool.name: known for tool in tools if (known := _declaration(tool)) is not None}


def _declaration(tool: Tool) -> Declaration | None:
    if tool.parameters is not None:
        return Declaration(tool.name, tool.description, tool.parameters)
    return BUILT_IN.get(tool.name)
