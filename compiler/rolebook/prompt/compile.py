"""The one way to compile: hover, preview, `rolebook compile` and the runner all call `compile_request`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rolebook.definition.agent import Provider
from rolebook.json import JsonValue
from rolebook.project.tree import Place, Tree
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event
from rolebook.prompt.instruction import Split, compile_split, output_schema
from rolebook.prompt.messages import build_messages
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.record import Record

TRANSFER_TOOL = "transfer_to_agent"


class Compilation(Record):
    """A request, and the origin of every character of its instruction."""

    request: LlmRequest
    split: Split


def compile_request(
    tree: Tree,
    place: Place,
    context: Context,
    events: Sequence[Event] = (),
    *,
    model: str | None = None,
    config: Mapping[str, JsonValue] | None = None,
) -> Compilation:
    """The request of the agent at `place` after `events`. `model` and `config` are a run's own and win."""
    split = compile_split(tree, place, context)
    agent = place.agent
    request = LlmRequest(
        model=model or tree.model(place),
        instruction=split.whole.text,
        static_system_instruction=split.static.text,
        dynamic_system_instruction=split.dynamic.text,
        messages=build_messages(events, agent.name, place.branch, agent.include_contents),
        tools=tool_declarations(tree, place, context),
        generate_content_config={**agent.generate_content_config, **(config or {})},
        output_schema=output_schema(place, context),
    )
    return Compilation(request, split)


def tool_declarations(tree: Tree, place: Place, context: Context) -> tuple[Declaration | Hole, ...]:
    """The tools that the model is told of, in the order of the definition, then the one that hands over."""
    targets = tree.transfer_targets(place)
    transfer: tuple[Declaration | Hole, ...] = ()
    if tree.unknown_targets(place):
        transfer = (Hole(TRANSFER_TOOL),)
    elif targets:
        transfer = (transfer_declaration([target.agent.name for target in targets]),)
    tools = place.agent.tools
    if isinstance(tools, Provider):
        listed = context.listed.get(tools.label)
        return (*(listed if listed is not None else (Hole(tools.label),)), *transfer)
    return (*(context.declarations.get(tool.name) or Hole(f"{tool.name}(context)") for tool in tools), *transfer)


def transfer_declaration(targets: Sequence[str]) -> Declaration:
    """The declaration of `transfer_to_agent` (spec §3): it can name the targets and nobody else."""
    return Declaration(
        TRANSFER_TOOL,
        "Hand the conversation to another agent, which then answers the user.",
        {
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": list(targets), "description": "The agent to hand over to."},
                "note": {"type": "string", "description": "What the other agent needs to know and can't see."},
            },
            "required": ["agent_name"],
        },
    )
