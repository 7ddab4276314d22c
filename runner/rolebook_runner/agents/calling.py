"""One tool call of a model: a function of the user's or an agent, with the callbacks around it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from rolebook.definition.agent import Reference
from rolebook.json import JsonValue, compact
from rolebook.project.tree import Place
from rolebook.record import replace
from rolebook.wire.stream import ToolCall
from rolebook_runner.agents.as_tool import RunAgent, place_of, run_as_tool
from rolebook_runner.agents.callbacks import CallbackFailed, When, call_back, has_callbacks, writable_context
from rolebook_runner.context import Context
from rolebook_runner.errors import LimitReached, RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.jsonable import to_json
from rolebook_runner.sessions.state import ToolState
from rolebook_runner.signals import ToolFinished, ToolStarted
from rolebook_runner.tools.call import BadArguments, call_tool
from rolebook_runner.tools.guard import UserCodeFailed, guarded
from rolebook_runner.tools.toolbox import Toolbox

logger = logging.getLogger("rolebook.run")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a call: the response, the state that it wrote, and what it asks of the run."""

    response: JsonValue
    written: Mapping[str, JsonValue] = field(default_factory=dict)
    exits: bool = False
    transfer: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """Makes the calls of one answer. Each has a state of its own, so that one that fails leaves nothing behind."""

    turn: Invocation
    place: Place
    toolbox: Toolbox
    state: Mapping[str, JsonValue]
    run: RunAgent

    async def answer(self, call: ToolCall) -> Result:
        turn, name, branch = self.turn, self.place.agent.name, self.place.branch
        await turn.emit(ToolStarted(name, branch, call.id, call.name, call.args))
        problem, where, result = self._refusal(call), None, Result(None)
        if problem is None:
            try:
                result = await self._with_callbacks(call)
            except UserCodeFailed as failed:
                problem, where = str(failed), failed.where
                logger.warning("tool `%s` of agent `%s` failed: %s", call.name, name, failed.located())
        if problem is not None:
            result = Result({"error": problem})
        await turn.emit(ToolFinished(name, branch, call.id, call.name, result.response, problem is not None, where))
        return result

    def _refusal(self, call: ToolCall) -> str | None:
        """Why the call isn't made at all."""
        if call.error is not None:
            return call.error
        if call.name in self.toolbox.names:
            return None
        listed = ", ".join(f"`{name}`" for name in self.toolbox.names) or "none"
        return f"there is no tool `{call.name}` to call; the tools are: {listed}"

    async def _with_callbacks(self, call: ToolCall) -> Result:
        """The response of a callback before the tool, else the tool's own, which one behind it may replace.

        A callback gets the arguments as a dictionary; what it changes in there, the tool is called with.
        """
        context, written = writable_context(self.turn, self.place, self.state)
        args = dict(call.args)
        told: dict[str, object] = {"tool": call.name, "args": args}
        response = await self._called_back("before_tool", context, told)
        if response is None:
            response = await self._called(replace(call, args=args), context, written)
            after = await self._called_back(
                "after_tool", context, {**told, "tool_response": response, "result": response}
            )
            response = response if after is None else after
        try:
            changes = written.changes()
        except TypeError as error:  # state was changed in place to what JSON can't hold
            raise UserCodeFailed(f"state: {error}") from error
        cut = cut_to(response, self.turn.settings.limits.max_result_chars)
        return Result(cut, changes, context.actions.escalate, context.actions.transfer_to_agent)

    async def _called_back(self, when: When, context: Context, told: Mapping[str, object]) -> JsonValue:
        """A callback that fails is told to the model like a tool that does; the tool isn't called, or not believed."""
        if not has_callbacks(self.place, when):
            return None
        try:
            return to_json(await call_back(self.turn, self.place, when, context, **told))
        except CallbackFailed as failed:
            raise UserCodeFailed(str(failed)) from failed
        except TypeError as error:
            raise UserCodeFailed(f"the {when} callback: {error}") from error

    async def _called(self, call: ToolCall, context: Context, written: ToolState) -> JsonValue:
        if (agent := self.toolbox.agents.get(call.name)) is not None:
            return await self._agent(call, agent, written)
        function = self.toolbox.functions[call.name]

        async def work() -> JsonValue:
            try:
                return await call_tool(function, call.args, context)
            except BadArguments as error:
                raise UserCodeFailed(f"the arguments don't fit `{call.name}`: {error}") from None

        return await guarded(work(), self.turn.settings.limits.max_tool_seconds, "max_tool_seconds")

    async def _agent(self, call: ToolCall, agent: Reference, written: ToolState) -> JsonValue:
        """Runs an agent as a tool; what it writes to state counts as the call's. Its limits are those of the turn."""
        place = place_of(self.turn, self.place, agent)
        try:
            response, state = await run_as_tool(self.turn, place, call.args, dict(written), self.run)
        except LimitReached:
            raise
        except RunError as error:
            raise UserCodeFailed(str(error)) from error
        for key, value in state.items():
            if value is None:
                written.pop(key, None)
            else:
                written[key] = value
        return response


def cut_to(response: JsonValue, most: int) -> JsonValue:
    """The response, or where its JSON has more than `most` code points, its beginning with a note that says so."""
    whole = response if isinstance(response, str) else compact(response)
    if len(whole) <= most:
        return response
    note = f"cut after {most:,} of {len(whole):,} characters (max_result_chars)"
    return {"result": whole[:most], "note": note}
