"""What the caller sees of a turn, in order and as JSON, and what stopping one leaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from play import Answers, Played, played, played_in, say, use

from rolebook.prompt.events import Event, TextPart, event_from_json
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.models.model import Item, ModelCall
from rolebook_runner.sessions.memory import MemoryStore
from rolebook_runner.sessions.state import Line
from rolebook_runner.sessions.store import SessionKey
from rolebook_runner.signals import EventStored, signal_to_json

DEFINITION = """
name: lead
rehearsal: [{call: {look: {}, transfer_to_agent: {agent_name: kid, note: be brief}}}]
tools: [{name: shelf.look}]
sub_agents: [{name: kid, rehearsal: [{say: done}]}]
"""


async def conversation(tmp_path: Path) -> Played:
    files = {"root_agent.yaml": DEFINITION, "shelf.py": "def look() -> int:\n    return 1\n"}
    return await played_in(tmp_path, files).turn("Hi")


async def test_the_signals_of_a_turn_in_their_order(tmp_path: Path) -> None:
    told = [signal_to_json(signal) for signal in (await conversation(tmp_path)).signals]
    kinds = [f"{signal['type']} {signal.get('agent') or signal.get('source') or ''}".strip() for signal in told]
    assert kinds == [
        "turn_started",
        "event_stored",
        "agent_started lead",
        "notice lead",
        "event_stored",
        "tool_started lead",
        "tool_finished lead",
        "event_stored",
        "agent_finished lead",
        "transferred lead",
        "agent_started kid",
        "text_delta kid",
        "event_stored",
        "agent_finished kid",
        "turn_finished",
    ]
    assert told[-1] == {"type": "turn_finished", "status": "done", "text": "done"}
    assert told[9]["note"] == "be brief"


async def test_every_signal_and_event_survives_json(tmp_path: Path) -> None:
    play = await conversation(tmp_path)
    for signal in play.signals:
        data = json.loads(json.dumps(signal_to_json(signal)))
        if isinstance(signal, EventStored):
            assert event_from_json(data["event"]) == signal.event


async def test_the_store_is_ahead_of_what_is_told() -> None:
    play = played("name: a")
    stored = []
    async for signal in play.runner.turn("s", "Hi"):
        if isinstance(signal, EventStored):
            stored.append(signal.event)
            assert signal.event in await play.runner.events("s")
    assert list(await play.runner.events("s")) == stored


FAN = "agent_class: ParallelAgent\nname: fan\nsub_agents: [{name: left}, {name: right}]"


class Waiting(Answers):
    """`left` waits for ever, in `stopped` once it was stopped; `right` can't be had."""

    def __init__(self) -> None:
        super().__init__(lambda _: [])
        self.stopped = False

    def of(self, call: ModelCall) -> Any:
        if call.place.agent.name == "right":
            raise RunError("no such model")
        return self

    async def stream(self, _: Any) -> Any:
        try:
            await asyncio.Event().wait()
            yield None
        finally:
            self.stopped = True


async def test_a_child_that_fails_stops_the_others() -> None:
    models = Waiting()
    play = await played(FAN, models=models).turn("Hi")
    assert play.error.message == "no such model"
    assert models.stopped


async def test_cancelling_the_caller_stops_the_turn() -> None:
    models = Waiting()
    play = played("name: left", models=models)
    task = asyncio.create_task(play.turn("Hi"))
    while not play.calls:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert models.stopped
    assert [event.author for event in await play.runner.events("s")] == ["user"]


async def test_stopping_after_any_signal_leaves_a_beginning_of_the_turn_and_a_session_that_goes_on(
    tmp_path: Path,
) -> None:
    whole = await conversation(tmp_path)
    shape = [(event.author, event.branch, len(event.parts)) for event in whole.events]
    tree_files = {"root_agent.yaml": DEFINITION}
    for count in range(1, len(whole.signals)):
        play = played_in(tmp_path, tree_files)
        turn = play.runner.turn("s", "Hi")
        for _ in range(count):
            await anext(turn)
        await turn.aclose()
        stored = [(event.author, event.branch, len(event.parts)) for event in await play.runner.events("s")]
        assert stored == shape[: len(stored)]
        await play.turn("Again")
        assert play.last.status == "done"
        assert [event.author for event in await play.runner.events("s")][: len(stored)] == [one[0] for one in stored]


async def test_many_sessions_at_once_do_not_mix() -> None:
    def answer(call: ModelCall) -> list[Item]:
        texts = [part.text for message in call.request.messages for part in message.parts if hasattr(part, "text")]
        return use(("think", {})) if len(call.request.messages) == 1 else say(texts[0])

    play = played("name: a\noutput_key: out", models=Answers(answer))
    await asyncio.gather(*(play.turn(f"text {number}", session=f"s{number}") for number in range(100)))
    for number in range(100):
        assert await play.runner.state(f"s{number}") == {"out": f"text {number}"}
        assert [event.author for event in await play.runner.events(f"s{number}")] == ["user", "a", "a", "a"]


class Held(MemoryStore):
    """A store in which an event takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def append(self, key: SessionKey, event: Event, position: int) -> None:
        self.begun.set()
        await self.go_on.wait()
        await super().append(key, event, position)


async def test_a_cancellation_waits_for_an_event_that_is_being_stored() -> None:
    store = Held()
    play = played("name: a", store=store)
    key = SessionKey("a", "user", "s")
    await store.create(key, {})
    turn = Invocation(play.runner._settings, key, (), AsyncMock())
    task = asyncio.create_task(turn.store(Line({}), "a", None, (TextPart("x"),)))
    await store.begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    store.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tuple(turn.events) == await store.events(key) != ()
    await turn.store(Line({}), "a", None, (TextPart("y"),))
    assert [event.text for event in turn.events] == ["x", "y"]
