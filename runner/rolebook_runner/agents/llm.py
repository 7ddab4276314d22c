"""An LlmAgent's run: compile, ask, store, answer the calls, and again, until it says its last word or hands over."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import cast

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.compile import compile_request
from rolebook.prompt.events import Event, FunctionCall
from rolebook.record import replace
from rolebook.wire.stream import ToolCall
from rolebook_runner import signals
from rolebook_runner.agents.answer import answer
from rolebook_runner.agents.as_tool import RunAgent
from rolebook_runner.agents.ask import Reply, ask
from rolebook_runner.agents.callbacks import ModelAnswer, When, call_back, has_callbacks, parts_of, writable_context
from rolebook_runner.agents.outcome import Outcome
from rolebook_runner.agents.prepare import Prepared, prepare
from rolebook_runner.agents.summarize import summarize
from rolebook_runner.invocation import Invocation, split_temp
from rolebook_runner.models.model import ModelCall
from rolebook_runner.sessions.state import Line


async def run_llm(turn: Invocation, line: Line, place: Place, temp: dict[str, JsonValue], run: RunAgent) -> Outcome:
    """Runs the agent at `place`. Its `temp:` state ends with this run; `run` runs agents that it uses as tools."""
    agent = place.agent
    worked = False
    while True:
        state = {**line.values, **temp}
        prepared = await prepare(turn, place, state)
        call = await _compiled(turn, line, place, prepared, state)
        reply, written = await _reply(turn, place, call)
        said = await _store_reply(turn, line, place, reply, written, temp)
        if not reply.calls:
            finals = (said,) if said.text else ()
            return Outcome(finals, finals, worked=worked)
        state = {**line.values, **temp}
        answers = await answer(turn, place, prepared.toolbox, reply.calls, state, run)
        kept, own = split_temp(answers.state)
        await turn.store(line, agent.name, place.branch, answers.responses, state=kept)
        temp.update(own)
        worked = worked or answers.worked
        if answers.exits or answers.transfer is not None:
            return Outcome((), (), answers.transfer, answers.note, said, worked, answers.exits)


async def _compiled(
    turn: Invocation, line: Line, place: Place, prepared: Prepared, state: Mapping[str, JsonValue]
) -> ModelCall:
    """The agent's next model call. Summaries that its compressors ask for are made first, one after another."""
    settings = turn.settings
    while True:
        events = tuple(turn.events)
        compilation = compile_request(
            settings.tree, place, prepared.context, events, model=settings.model, config=settings.config
        )
        if compilation.summary is None:
            return ModelCall(place, compilation.request, events, state, turn.id)
        await summarize(turn, line, place, compilation.summary, events, state)


async def _reply(turn: Invocation, place: Place, call: ModelCall) -> tuple[Reply, Mapping[str, JsonValue]]:
    """What the model says, or a callback in its place, and the state that callbacks wrote."""
    if not (has_callbacks(place, "before_model") or has_callbacks(place, "after_model")):
        return await _asked(turn, call), {}
    context, written = writable_context(turn, place, call.state)
    instead = await call_back(turn, place, "before_model", context, llm_request=call.request)
    if instead is not None:
        reply = _replied("before_model", place, instead)
        await turn.emit(signals.TextDelta(place.agent.name, place.branch, reply.text))
    else:
        reply = await _asked(turn, call)
        said = ModelAnswer(
            reply.text, reply.parts, tuple(part for part in reply.parts if isinstance(part, FunctionCall))
        )
        other = await call_back(turn, place, "after_model", context, llm_response=said)
        reply = reply if other is None else _replied("after_model", place, other)
    return reply, written.changes()


async def _asked(turn: Invocation, call: ModelCall) -> Reply:
    turn.spent.model_call()
    turn.settings.on_model_call(call)
    return await ask(turn, call)


def _replied(when: When, place: Place, result: object) -> Reply:
    """A callback's answer as a model's. Calls without an id get one, by which their responses find them."""
    parts = tuple(
        replace(part, id=part.id or uuid.uuid4().hex) if isinstance(part, FunctionCall) else part
        for part in parts_of(result, when, place)
    )
    calls = tuple(ToolCall(part.id, part.name, part.args) for part in parts if isinstance(part, FunctionCall))
    return Reply(parts, calls, {"answered_by": when})


async def _store_reply(
    turn: Invocation,
    line: Line,
    place: Place,
    reply: Reply,
    written: Mapping[str, JsonValue],
    temp: dict[str, JsonValue],
) -> Event:
    """Stores what the model said, with the state that callbacks wrote and, with its last word, the agent's output."""
    kept, own = split_temp({**written, **_output(place, reply)})
    temp.update(own)
    return await turn.store(line, place.agent.name, place.branch, reply.parts, metadata=reply.metadata, state=kept)


def _output(place: Place, reply: Reply) -> Mapping[str, JsonValue]:
    """The final text under the agent's `output_key`: parsed where there is a schema and the text is JSON (spec §1)."""
    agent = place.agent
    if agent.output_key is None or reply.calls or not reply.text:
        return {}
    if agent.output_schema is None:
        return {agent.output_key: reply.text}
    try:
        return {agent.output_key: cast(JsonValue, json.loads(reply.text))}
    except (ValueError, RecursionError):
        return {agent.output_key: reply.text}
