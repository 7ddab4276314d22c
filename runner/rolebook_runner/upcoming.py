"""The model call that a session would make next, obtained as a run does it, and made by nobody."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.events import USER, Event, TextPart
from rolebook.prompt.turn import whose_turn
from rolebook_runner.agents.prepare import prepare
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.sessions.start import initial_state, shared_samples
from rolebook_runner.sessions.store import SessionKey
from rolebook_runner.settings import Settings
from rolebook_runner.signals import Notice, Signal, Warning
from rolebook_runner.turn import is_rehearsal


@dataclass(frozen=True, slots=True)
class Upcoming:
    """What the agent at `place` would be asked, and what a run would warn of before."""

    place: Place
    compilation: Compilation
    warnings: tuple[str, ...]


async def upcoming(settings: Settings, key: SessionKey, text: str | None, given: Mapping[str, JsonValue]) -> Upcoming:
    """What the next call of the session gets, after `text` of the user's if there is one, with `given` state on top.

    It runs the user's functions as a turn would; nothing is stored and no model is asked. Raises RunError.
    """
    rehearsal = is_rehearsal(settings.tree, settings.models, settings.model)
    try:
        events = list(await settings.store.events(key))
        state = dict(await settings.store.state(key))
    except KeyError:
        events, state = [], dict(initial_state(settings.tree, rehearsal=rehearsal))
    samples = shared_samples(settings.tree) if rehearsal else {}
    warnings: list[str] = []

    async def emit(signal: Signal) -> None:
        match signal:
            case Warning(message=message) | Notice(message=message):
                warnings.append(message)

    place = _first_asked(settings, whose_turn(settings.tree, events))
    if text is not None:
        events.append(Event(uuid.uuid4().hex, USER, None, (TextPart(text),), uuid.uuid4().hex))
    turn = Invocation(settings, key, events, emit)
    seen = {name: value for name, value in {**samples, **state, **given}.items() if value is not None}
    prepared = await prepare(turn, place, seen)
    compilation = compile_request(
        settings.tree, place, prepared.context, tuple(events), model=settings.model, config=settings.config
    )
    return Upcoming(place, compilation, tuple(warnings))


def _first_asked(settings: Settings, place: Place) -> Place:
    """The LlmAgent that begins where it is this agent's turn: a workflow's first step."""
    while place.agent.kind != "LlmAgent":
        children = settings.tree.children(place)
        if not children:
            raise RunError(f"`{place.agent.name}` is a {place.agent.agent_class} without steps and asks no model")
        place = children[0]
    return place
