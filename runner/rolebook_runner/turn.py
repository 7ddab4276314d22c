"""One user turn, from the user's message to the signal that it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from rolebook.json import JsonValue
from rolebook.project.tree import Tree
from rolebook.prompt.events import USER, Event, TextPart
from rolebook.prompt.turn import whose_turn
from rolebook_runner.agents.run import run_agent
from rolebook_runner.errors import LimitReached, RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.memory.memory import Memo
from rolebook_runner.models.model import Models
from rolebook_runner.sessions.start import initial_state, shared_samples
from rolebook_runner.sessions.state import Line
from rolebook_runner.sessions.store import SessionKey, StoreError, now
from rolebook_runner.settings import Settings
from rolebook_runner.signals import Error, Signal, TurnFinished, TurnStarted

Emit = Callable[[Signal], Awaitable[None]]


async def run_turn(settings: Settings, key: SessionKey, text: str, state: Mapping[str, JsonValue], emit: Emit) -> None:
    """Runs the turn and emits what happens; what ends it early is an `Error`, and `TurnFinished` comes last.

    The time that `emit` takes counts as the turn's.
    """
    finals: tuple[Event, ...] = ()
    error: Error | None = None
    seconds = settings.limits.max_turn_seconds
    try:
        async with asyncio.timeout(seconds) as scope:
            finals = await _run(settings, key, text, state, emit)
    except LimitReached as reached:
        error = Error(str(reached), reached.limit)
    except RunError as failed:
        error = Error(str(failed))
    except TimeoutError:
        if not scope.expired():
            raise
        error = Error(f"the turn was stopped after {seconds:g} s (max_turn_seconds)", "max_turn_seconds")
    if error is not None:
        await emit(error)
    await emit(TurnFinished("done" if error is None else "failed", "\n\n".join(final.text for final in finals)))


async def _run(
    settings: Settings, key: SessionKey, text: str, state: Mapping[str, JsonValue], emit: Emit
) -> tuple[Event, ...]:
    """Stores the user's message, then runs the agent whose turn it is. Returns the events that hold the final texts."""
    rehearsal = is_rehearsal(settings.tree, settings.models, settings.model)
    await settings.store.create(key, initial_state(settings.tree, rehearsal=rehearsal))
    turn = Invocation(settings, key, await settings.store.events(key), emit)
    samples = shared_samples(settings.tree) if rehearsal else {}
    line = Line({**samples, **await settings.store.state(key)})
    place = whose_turn(settings.tree, turn.events)
    await emit(TurnStarted(key.id, turn.id))
    await turn.store(line, USER, None, (TextPart(text),), state=state)
    finals = (await run_agent(turn, line, place)).finals
    await _remember(turn, text, finals)
    return finals


async def _remember(turn: Invocation, text: str, finals: Sequence[Event]) -> None:
    """Keeps what was said for later sessions. The turn has its answer, so it doesn't fail where that can't be done."""
    said = [(USER, text), *((final.author, final.text) for final in finals)]
    time = now()
    memos = [Memo(turn.key.id, author, words, time) for author, words in said if words.strip()]
    try:
        await turn.settings.memory.add(turn.key, memos)
    except StoreError as error:
        await turn.warn(f"what was said can't be recalled later: {error}")


def is_rehearsal(tree: Tree, models: Models, model: str | None) -> bool:
    """Whether no call of a run can reach a real model; `model` is the run's own. Raises RunError as `Models` does."""
    return all(
        models.rehearsal_reason(model or tree.model(place)) is not None
        for place in tree
        if place.agent.kind == "LlmAgent"
    )
