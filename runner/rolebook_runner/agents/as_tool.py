"""An agent that another one calls as a tool (google-adk's `AgentTool`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeAlias, cast

from rolebook.definition.agent import Reference
from rolebook.json import JsonValue, compact
from rolebook.project.tree import Place
from rolebook.prompt.events import USER, TextPart
from rolebook_runner.agents.outcome import Outcome
from rolebook_runner.invocation import Invocation, split_temp
from rolebook_runner.sessions.state import Line

RunAgent: TypeAlias = Callable[[Invocation, Line, Place], Coroutine[Any, Any, Outcome]]


def place_of(turn: Invocation, user: Place, agent: Reference) -> Place:
    """Where the agent stands that the one at `user` has as a tool."""
    return next(place for place in turn.settings.tree if place.tool_of == user.index and place.reference == agent)


async def run_as_tool(
    turn: Invocation, place: Place, args: Mapping[str, JsonValue], state: Mapping[str, JsonValue], run: RunAgent
) -> tuple[JsonValue, Mapping[str, JsonValue]]:
    """What the agent answers to the request, parsed where it answers by a schema, and the state that it wrote.

    It sees the request and the caller's state, and nothing of the conversation. Raises RunError as any agent's run.
    """
    request = args.get("request")
    kept, _ = split_temp(state)
    line = Line(kept)
    inner = turn.private()
    await inner.store(line, USER, None, (TextPart(request if isinstance(request, str) else compact(dict(args))),))
    outcome = await run(inner, line, place)
    text = "\n\n".join(final.text for final in outcome.finals)
    return (_parsed(text) if place.agent.output_schema is not None else text), line.written


def _parsed(text: str) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return text
