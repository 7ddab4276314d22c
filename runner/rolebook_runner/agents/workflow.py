"""Sequential, loop and parallel agents: their steps, and the handing on of final texts (spec §4)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeAlias

from rolebook.definition.agent import WORKFLOWS
from rolebook.project.tree import Place
from rolebook.prompt.events import Event, TextPart
from rolebook_runner.agents.outcome import Outcome
from rolebook_runner.agents.together import together
from rolebook_runner.invocation import Invocation
from rolebook_runner.sessions.state import Line

RunAgent: TypeAlias = Callable[[Invocation, Line, Place], Coroutine[Any, Any, Outcome]]


async def run_workflow(turn: Invocation, line: Line, place: Place, run: RunAgent) -> Outcome:
    """Runs the workflow agent at `place`, and each of its steps with `run`."""
    steps = turn.settings.tree.children(place)
    if place.agent.kind == "ParallelAgent":
        outcome = await _parallel(turn, line, place, steps, run)
    elif place.agent.kind == "LoopAgent":
        outcome = await _loop(turn, line, place, steps, run)
    else:
        outcome = await _sequence(turn, line, steps, run)
    parent = turn.settings.tree.parent(place)
    if parent is None or parent.agent.kind not in WORKFLOWS:
        await _hand_on(turn, line, outcome.finals, parent.branch if parent is not None else None)
    return outcome


async def _sequence(turn: Invocation, line: Line, steps: Sequence[Place], run: RunAgent) -> Outcome:
    finals: tuple[Event, ...] = ()
    written: tuple[Event, ...] = ()
    for step, following in itertools.zip_longest(steps, steps[1:]):
        outcome = await run(turn, line, step)
        finals, written = outcome.finals, outcome.written or written
        if outcome.exits:
            return Outcome(finals, written, exits=True)
        if following is not None:
            await _hand_on(turn, line, finals, following.branch)
    return Outcome(finals, written)


async def _loop(turn: Invocation, line: Line, place: Place, steps: Sequence[Place], run: RunAgent) -> Outcome:
    """Ends with the last final text written in it. A round that asks no model could go on for ever and is the last."""
    written: tuple[Event, ...] = ()
    most = place.agent.max_iterations
    for number in _rounds(most):
        calls_before = turn.spent.model_calls
        for index, step in enumerate(steps):
            outcome = await run(turn, line, step)
            written = outcome.written or written
            if outcome.exits:
                return Outcome(written, written)
            if index + 1 < len(steps) or number != most:
                await _hand_on(turn, line, outcome.finals, steps[(index + 1) % len(steps)].branch)
        if turn.spent.model_calls == calls_before:
            break
    return Outcome(written, written)


def _rounds(most: int | None) -> Iterator[int]:
    return iter(range(1, most + 1)) if most is not None else itertools.count(1)


async def _parallel(turn: Invocation, line: Line, place: Place, steps: Sequence[Place], run: RunAgent) -> Outcome:
    """Each child sees the state as it is now and what it writes itself; what they wrote is merged in declared order."""
    forks = [line.fork() for _ in steps]
    outcomes = await together([run(turn, fork, step) for fork, step in zip(forks, steps, strict=True)])
    disputed = line.join(forks)
    if disputed:
        name = place.agent.name
        keys = ", ".join(f"`{key}`" for key in disputed)
        await turn.warn(f"children of `{name}` wrote {keys} at the same time; what the last of them wrote stays", name)
        await turn.store(line, name, place.branch, (), state=disputed)  # the store took them in the order of time
    return Outcome(
        finals=tuple(final for outcome in outcomes for final in outcome.finals),
        written=tuple(final for outcome in outcomes for final in outcome.written),
        exits=any(outcome.exits for outcome in outcomes),
    )


async def _hand_on(turn: Invocation, line: Line, finals: Sequence[Event], branch: str | None) -> None:
    """Shows the final texts on `branch`, except those that are on it already."""
    for final in finals:
        if final.branch != branch:
            await turn.store(line, final.author, branch, (TextPart(final.text),), handed_from=final.id)
