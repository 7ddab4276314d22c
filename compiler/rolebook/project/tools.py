"""What is known of tools without running any: declarations from definitions and sources, and the state they write."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rolebook.definition.agent import Agent, Reference, Tool
from rolebook.definition.declaration import NO_PARAMETERS, Declaration
from rolebook.definition.python import read_signature
from rolebook.definition.signature import declaration
from rolebook.definition.types import Hole
from rolebook.json import JsonObject
from rolebook.project.python import Found, Sources
from rolebook.project.state import EXIT_LOOP, Effects, Write, functions
from rolebook.project.tree import Place
from rolebook.record import replace

_EXIT_LOOP = Declaration(EXIT_LOOP, "End the loop that this agent is part of.", NO_PARAMETERS)

LOAD_MEMORY = Declaration(
    "load_memory",
    "Search what the user said, and was told, in earlier conversations.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "The words to search for."}},
        "required": ["query"],
    },
)

_MOST_HELPERS = 100
"""Functions that one function is followed to."""

BUILT_IN = {tool.name: tool for tool in (_EXIT_LOOP, LOAD_MEMORY)}
"""The tools that Rolebook's runner brings along."""


def declarations(
    place: Place, sources: Sources, agent_of: Callable[[Reference], Agent | None]
) -> dict[str, Declaration]:
    """By the label of a tool. What only a run can tell is left out, and becomes a hole.

    `agent_of` gives the agent that a reference in the place's definition leads to.
    """
    found: dict[str, Declaration] = {}
    for tool in place.agent.tools if isinstance(place.agent.tools, tuple) else ():
        if tool.agent is not None:
            agent = agent_of(tool.agent)
            known = agent_declaration(agent) if agent is not None else None
        else:
            known = _declaration(tool, sources)
        if known is not None:
            found[tool.label] = known
    return found


def agent_declaration(agent: Agent) -> Declaration:
    """What a model is told of an agent that it can use as a tool (as google-adk's `AgentTool` without a schema)."""
    properties: JsonObject = {"request": {"type": "string", "description": "What the agent is asked to do."}}
    return Declaration(
        agent.name, agent.description, {"type": "object", "properties": properties, "required": ["request"]}
    )


def state_effects(place: Place, sources: Sources) -> Mapping[str, Effects]:
    """What each of an agent's functions does to session state; nothing is said of one whose source isn't at hand."""
    found = {}
    for name, _ in functions(place.agent):
        source = sources.function(name)
        if source is not None:
            found[name] = _effects(source, sources)
    return found


def _effects(source: Found, sources: Sources) -> Effects:
    """What a function does, and those that it passes its context to. One that can't be found may set any key."""
    every, unknown = [source], False
    known = {(source.path, source.function.path)}
    for caller in every:
        for name in caller.function.helpers:
            called = sources.called(caller, name)
            if called is None or len(every) >= _MOST_HELPERS:
                unknown = True
            elif (called.path, called.function.path) not in known:
                known.add((called.path, called.function.path))
                every.append(called)
    writes = tuple(Write(write.key, each.path, write.span) for each in every for write in each.function.writes)
    return Effects(
        writes,
        unknown or any(each.function.writes_any for each in every),
        any(each.function.escalates for each in every),
        source.path,
    )


def _declaration(tool: Tool, sources: Sources) -> Declaration | None:
    if tool.parameters is not None:
        return Declaration(tool.name, tool.description, tool.parameters)
    if tool.name in BUILT_IN:
        return BUILT_IN[tool.name]
    source = sources.function(tool.function or tool.name) if tool.args is None else None
    if source is None:
        return None
    name = tool.name if tool.function is not None else tool.name.rpartition(".")[2]
    read = declaration(read_signature(source.function, source.scope, name))
    if isinstance(read, Hole):
        return None
    return replace(read, description=tool.description or read.description)
