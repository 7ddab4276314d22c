"""The one way to compile: hover, preview, `rolebook compile` and the runner all call `compile_request`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rolebook.definition.agent import Provider
from rolebook.definition.compressors import Summarize
from rolebook.json import JsonValue
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compress import Compressed, SummaryNeeded, compress, has_failed
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event
from rolebook.prompt.instruction import Split, compile_split, output_schema
from rolebook.prompt.messages import build_messages
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.record import Record

TRANSFER_TOOL = "transfer_to_agent"


class Compilation(Record):
    """A request, and the origin of every character of its instruction.

    Where `summary` is set, a message of the request is a hole until the runner made that summary.
    """

    request: LlmRequest
    split: Split
    summary: SummaryNeeded | None = None


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
    model = model or tree.model(place)
    compressed = _messages(tree, place, events, split, model)
    request = LlmRequest(
        model=model,
        instruction=split.whole.text,
        static_system_instruction=split.static.text,
        dynamic_system_instruction=split.dynamic.text,
        messages=compressed.messages,
        tools=tool_declarations(tree, place, context),
        generate_content_config={**agent.generate_content_config, **(config or {})},
        output_schema=output_schema(place, context),
    )
    return Compilation(request, split, compressed.summary)


def _messages(tree: Tree, place: Place, events: Sequence[Event], split: Split, model: str | None) -> Compressed:
    """What the agent gets of the conversation. Where a summary failed, its messages stay as they are (spec §5)."""
    agent = place.agent
    messages = build_messages(events, agent.name, place.branch, agent.include_contents)
    strategies = agent.context_compressor
    if not strategies:
        return Compressed(messages)
    if has_failed(events, place.branch):
        strategies = tuple(strategy for strategy in strategies if not isinstance(strategy, Summarize))
    from rolebook.prompt.tokens import counter

    count = counter(model, tree.config.models)
    return compress(messages, strategies, instruction=split.whole.known_text, count=count)


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
    return (*(context.declarations.get(tool.label) or Hole(f"{tool.name}(context)") for tool in tools), *transfer)


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
