"""An LlmAgent's run: compile, ask, store, answer the calls, and again, until it says its last word or hands over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.compile import compile_request
from rolebook.prompt.events import Event
from rolebook_runner.agents.answer import answer
from rolebook_runner.agents.ask import Reply, ask
from rolebook_runner.agents.outcome import Outcome
from rolebook_runner.agents.prepare import Prepared, prepare
from rolebook_runner.agents.summarize import summarize
from rolebook_runner.invocation import Invocation, split_temp
from rolebook_runner.models.model import ModelCall
from rolebook_runner.sessions.state import Line


async def run_llm(turn: Invocation, line: Line, place: Place) -> Outcome:
    """Runs the agent at `place`. Its `temp:` state starts empty and ends with this run."""
    settings, agent = turn.settings, place.agent
    temp: dict[str, JsonValue] = {}
    worked = False
    while True:
        state = {**line.values, **temp}
        prepared = await prepare(turn, place, state)
        call = await _compiled(turn, line, place, prepared, state)
        turn.spent.model_call()
        settings.on_model_call(call)
        reply = await ask(turn, call)
        said = await _store_reply(turn, line, place, reply, temp)
        if not reply.calls:
            finals = (said,) if said.text else ()
            return Outcome(finals, finals, worked=worked)
        answers = await answer(turn, place, prepared.toolbox, reply.calls, state)
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


async def _store_reply(turn: Invocation, line: Line, place: Place, reply: Reply, temp: dict[str, JsonValue]) -> Event:
    """Stores what the model said, and with its last word the agent's output."""
    kept, own = split_temp(_output(place, reply))
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
