"""Runs the agent at a place, whatever its kind, and whom it hands over to."""

from __future__ import annotations

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.events import TextPart
from rolebook.prompt.messages import visible
from rolebook_runner.agents.callbacks import When, call_back, has_callbacks, parts_of, writable_context
from rolebook_runner.agents.llm import run_llm
from rolebook_runner.agents.outcome import Outcome
from rolebook_runner.agents.workflow import run_workflow
from rolebook_runner.invocation import Invocation, split_temp
from rolebook_runner.sessions.state import Line
from rolebook_runner.signals import AgentFinished, AgentStarted, TextDelta, Transferred


async def run_agent(turn: Invocation, line: Line, place: Place) -> Outcome:
    """Runs the agent at `place`, then the one that it hands over to, and so on; the outcome is the last one's."""
    in_a_row = 0
    while True:
        outcome = await _run_one(turn, line, place)
        if outcome.transfer is None:
            return outcome
        in_a_row = 1 if outcome.worked else in_a_row + 1
        turn.spent.transfer(in_a_row)
        await _hand_over(turn, line, place, outcome.transfer, outcome)
        place = outcome.transfer


async def _run_one(turn: Invocation, line: Line, place: Place) -> Outcome:
    name = place.agent.name
    await turn.emit(AgentStarted(name, place.branch))
    temp: dict[str, JsonValue] = {}
    outcome = await _called_back(turn, line, place, "before_agent", temp)
    if outcome is None:
        if place.agent.kind == "LlmAgent":
            outcome = await run_llm(turn, line, place, temp, run_agent)
        else:
            outcome = await run_workflow(turn, line, place, run_agent)
        after = await _called_back(turn, line, place, "after_agent", temp)
        if after is not None and outcome.transfer is None and not outcome.exits:
            outcome = after
    await turn.emit(AgentFinished(name, place.branch))
    return outcome


async def _called_back(
    turn: Invocation, line: Line, place: Place, when: When, temp: dict[str, JsonValue]
) -> Outcome | None:
    """What callbacks answer in place of the agent, stored with the state that they wrote; None where they don't."""
    if not has_callbacks(place, when):
        return None
    context, written = writable_context(turn, place, {**line.values, **temp})
    result = await call_back(turn, place, when, context)
    kept, own = split_temp(written.changes())
    temp.update(own)
    parts = parts_of(result, when, place) if result is not None else ()
    if not parts and not kept:
        return None
    event = await turn.store(line, place.agent.name, place.branch, parts, state=kept)
    if not parts:
        return None
    await turn.emit(TextDelta(place.agent.name, place.branch, event.text))
    finals = (event,) if event.text else ()
    return Outcome(finals, finals)


async def _hand_over(turn: Invocation, line: Line, place: Place, target: Place, outcome: Outcome) -> None:
    """Tells of the transfer, and hands its note on where the target can't see the call that holds it (spec §4)."""
    note, call = outcome.note, outcome.call
    await turn.emit(Transferred(place.agent.name, target.agent.name, target.branch, note))
    if note is not None and call is not None and not visible(call.branch, target.branch):
        await turn.store(line, place.agent.name, target.branch, (TextPart(note),), handed_from=call.id)
