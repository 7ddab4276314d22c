"""A model's tool calls, answered: all at the same time, the responses in the order of the calls."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.compile import TRANSFER_TOOL
from rolebook.prompt.events import FunctionResponse
from rolebook.wire.stream import ToolCall
from rolebook_runner.agents.together import together
from rolebook_runner.invocation import Invocation
from rolebook_runner.sessions.state import ToolState
from rolebook_runner.signals import ToolFinished, ToolStarted
from rolebook_runner.tools.call import BadArguments, call_tool
from rolebook_runner.tools.guard import UserCodeFailed, guarded
from rolebook_runner.tools.toolbox import Toolbox

logger = logging.getLogger("rolebook.run")


@dataclass(frozen=True, slots=True)
class Answers:
    """`state` is what the tools wrote. `transfer` is the first call that hands over, with its target and note."""

    responses: tuple[FunctionResponse, ...]
    state: Mapping[str, JsonValue]
    transfer: Place | None
    note: str | None
    worked: bool
    exits: bool


async def answer(
    turn: Invocation, place: Place, toolbox: Toolbox, calls: Sequence[ToolCall], state: Mapping[str, JsonValue]
) -> Answers:
    """The responses to the calls. What goes wrong is told to the model as `{"error": …}` and ends nothing (spec §8)."""
    transfers = _Transfers(turn, place)
    jobs = [
        transfers.answer(call) if _hands_over(call, toolbox) else _call(turn, place, toolbox, call, state)
        for call in calls
    ]
    results = await together(jobs)
    return Answers(
        responses=tuple(
            FunctionResponse(call.id, call.name, result.response) for call, result in zip(calls, results, strict=True)
        ),
        state=await _merge(turn, place, calls, results),
        transfer=transfers.target,
        note=transfers.note,
        worked=any(not _hands_over(call, toolbox) for call in calls),
        exits=any(result.exits for result in results),
    )


@dataclass(frozen=True, slots=True)
class _Result:
    response: JsonValue
    written: Mapping[str, JsonValue] = field(default_factory=dict)
    exits: bool = False


def _hands_over(call: ToolCall, toolbox: Toolbox) -> bool:
    return call.name == TRANSFER_TOOL and call.name not in toolbox.functions


class _Transfers:
    """The transfer calls of one answer. The first that names a target counts, since only one agent can go on."""

    def __init__(self, turn: Invocation, place: Place) -> None:
        self._targets = {target.agent.name: target for target in reversed(turn.settings.tree.transfer_targets(place))}
        self.target: Place | None = None
        self.note: str | None = None

    async def answer(self, call: ToolCall) -> _Result:
        name, note = call.args.get("agent_name"), call.args.get("note")
        if call.error is not None:
            return _Result({"error": call.error})
        if not isinstance(name, str) or name not in self._targets:
            listed = ", ".join(f"`{target}`" for target in reversed(self._targets)) or "none"
            return _Result({"error": f"`{name}` is no agent to hand over to from here; the targets are: {listed}"})
        if self.target is not None:
            return _Result({"error": f"the conversation is handed to `{self.target.agent.name}` already"})
        self.target = self._targets[name]
        self.note = note if isinstance(note, str) and note.strip() else None
        return _Result({"transferred_to": name})


async def _call(
    turn: Invocation, place: Place, toolbox: Toolbox, call: ToolCall, state: Mapping[str, JsonValue]
) -> _Result:
    name, branch = place.agent.name, place.branch
    await turn.emit(ToolStarted(name, branch, call.id, call.name, call.args))
    problem, where, result = _refusal(toolbox, call), None, _Result(None)
    if problem is None:
        try:
            result = await _run(turn, place, toolbox.functions[call.name], call, state)
        except UserCodeFailed as failed:
            problem, where = str(failed), failed.where
            logger.warning("tool `%s` of agent `%s` failed: %s", call.name, name, failed.located())
    if problem is not None:
        result = _Result({"error": problem})
    await turn.emit(ToolFinished(name, branch, call.id, call.name, result.response, problem is not None, where))
    return result


def _refusal(toolbox: Toolbox, call: ToolCall) -> str | None:
    """Why the call isn't made at all."""
    if call.error is not None:
        return call.error
    if call.name in toolbox.functions:
        return None
    listed = ", ".join(f"`{name}`" for name in toolbox.functions) or "none"
    return f"there is no tool `{call.name}` to call; the tools are: {listed}"


async def _run(
    turn: Invocation, place: Place, function: Callable[..., Any], call: ToolCall, state: Mapping[str, JsonValue]
) -> _Result:
    """Calls the function. Each call has a state of its own, so one that fails or is given up leaves nothing behind."""
    written = ToolState(state)
    context = turn.context(place, written)

    async def work() -> JsonValue:
        try:
            return await call_tool(function, call.args, context)
        except BadArguments as error:
            raise UserCodeFailed(f"the arguments don't fit `{call.name}`: {error}") from None

    try:
        response = await guarded(work(), turn.settings.limits.max_tool_seconds, "max_tool_seconds")
        return _Result(response, written.changes(), context.escalate)
    except TypeError as error:  # state was changed in place to what JSON can't hold
        raise UserCodeFailed(f"state: {error}") from error


async def _merge(
    turn: Invocation, place: Place, calls: Sequence[ToolCall], results: Sequence[_Result]
) -> dict[str, JsonValue]:
    """What the calls wrote, taken over in their order and not in time, so that a run can be repeated."""
    merged: dict[str, JsonValue] = {}
    writers: dict[str, str] = {}
    for call, result in zip(calls, results, strict=True):
        for key, value in result.written.items():
            if key in merged and merged[key] != value:
                await turn.warn(
                    f"`{writers[key]}` and `{call.name}` wrote the state key `{key}` at the same time;"
                    f" the value of `{call.name}`, called last, stays",
                    place.agent.name,
                )
            merged[key] = value
            writers[key] = call.name
    return merged
