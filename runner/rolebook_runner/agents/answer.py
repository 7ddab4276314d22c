"""A model's tool calls, answered: all at the same time, the responses in the order of the calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.compile import TRANSFER_TOOL
from rolebook.prompt.events import FunctionResponse
from rolebook.wire.stream import ToolCall
from rolebook_runner.agents.as_tool import RunAgent
from rolebook_runner.agents.calling import Result, ToolCaller
from rolebook_runner.agents.together import together
from rolebook_runner.invocation import Invocation
from rolebook_runner.tools.toolbox import Toolbox


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
    turn: Invocation,
    place: Place,
    toolbox: Toolbox,
    calls: Sequence[ToolCall],
    state: Mapping[str, JsonValue],
    run: RunAgent,
) -> Answers:
    """The responses to the calls. What goes wrong is told to the model as `{"error": …}` and ends nothing (spec §8).

    `run` runs an agent that is used as a tool.
    """
    transfers = _Transfers(turn, place)
    caller = ToolCaller(turn, place, toolbox, state, run)
    jobs = [transfers.answer(call) if _hands_over(call, toolbox) else caller.answer(call) for call in calls]
    results = await together(jobs)
    for result in results:
        await transfers.asked(result.transfer)
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


def _hands_over(call: ToolCall, toolbox: Toolbox) -> bool:
    return call.name == TRANSFER_TOOL and call.name not in toolbox.names


class _Transfers:
    """The transfer calls of one answer. The first that names a target counts, since only one agent can go on."""

    def __init__(self, turn: Invocation, place: Place) -> None:
        self._targets = {target.agent.name: target for target in reversed(turn.settings.tree.transfer_targets(place))}
        self.target: Place | None = None
        self.note: str | None = None
        self._turn, self._name = turn, place.agent.name

    async def asked(self, name: str | None) -> None:
        """A tool or callback of the user's asked to hand over to the agent called `name`."""
        if name is None or self.target is not None:
            return
        if name in self._targets:
            self.target = self._targets[name]
        else:
            await self._turn.warn(f"a tool asked to hand over to `{name}`, which is no target from here", self._name)

    async def answer(self, call: ToolCall) -> Result:
        name, note = call.args.get("agent_name"), call.args.get("note")
        if call.error is not None:
            return Result({"error": call.error})
        if not isinstance(name, str) or name not in self._targets:
            listed = ", ".join(f"`{target}`" for target in reversed(self._targets)) or "none"
            return Result({"error": f"`{name}` is no agent to hand over to from here; the targets are: {listed}"})
        if self.target is not None:
            return Result({"error": f"the conversation is handed to `{self.target.agent.name}` already"})
        self.target = self._targets[name]
        self.note = note if isinstance(note, str) and note.strip() else None
        return Result({"transferred_to": name})


async def _merge(
    turn: Invocation, place: Place, calls: Sequence[ToolCall], results: Sequence[Result]
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
