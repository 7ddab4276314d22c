"""500 sessions in one process: none sees another's, none waits for another's tool, and none leaves anything behind."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from play import Answers, Played, played, played_in, say, use

from rolebook.json import compact
from rolebook.prompt.events import Event
from rolebook.wire.stream import TextDelta
from rolebook_runner.invocation import Invocation
from rolebook_runner.limits import Limits
from rolebook_runner.models.model import Item, ModelCall
from rolebook_runner.runner import _MOST_WAITING
from rolebook_runner.sessions.location import Location
from rolebook_runner.sessions.storage import open_storage
from rolebook_runner.tools.find import find

SESSIONS = 500
SLOW = ("s0", "s1")
DEFINITION = """
name: a
instruction: For {guest?}.
tools: [{name: tools.wait}, {name: tools.block}]
output_key: out
"""
TOOLS = '''
import asyncio, threading

opened = threading.Event()

async def wait(guest: str, context) -> str:
    """Takes long for one."""
    context.state["guest"] = guest
    while guest == "s0" and not opened.is_set():
        await asyncio.sleep(0.01)
    return f"waited for {guest}"

def block(guest: str, context) -> str:
    """Takes long for one, in a thread."""
    context.state["guest"] = guest
    if guest == "s1":
        opened.wait(100)
    return f"blocked for {guest}"
'''


def answer(call: ModelCall) -> list[Item]:
    """A tool call for the guest who says their name, then a word of thanks."""
    guest = call.events[0].text
    seen = compact([message.to_json()["parts"] for message in call.request.messages])
    assert all(f's{other}"' not in seen for other in neighbours(guest))
    if len(call.events) % 4 == 1:
        tool = "block" if int(guest[1:]) % 10 == 1 else "wait"
        return use((tool, {"guest": guest}))
    assert call.request.dynamic_system_instruction == f"For {guest}."
    return say(f"Thanks, {guest}")


def neighbours(guest: str) -> Iterator[int]:
    number = int(guest[1:])
    return (other for other in (number - 1, number + 1, number * 10, number // 10) if other != number)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_500_sessions_at_once(kind: str, tmp_path: Path) -> None:
    storage = open_storage(Location(str(tmp_path / "s.db") if kind == "sqlite" else None))
    files = {"root_agent.yaml": DEFINITION, "tools.py": TOOLS}
    play = played_in(
        tmp_path,
        files,
        models=Answers(answer),
        store=storage.store,
        memory=storage.memory,
        limits=Limits(max_tool_seconds=100),
    )
    finished: list[str] = []

    async def talk(session: str) -> None:
        async with aclosing(play.runner.turn(session, session)) as signals:
            async for _ in signals:
                pass
        finished.append(session)
        if len(finished) == SESSIONS - len(SLOW):
            opened: Any = find("tools.opened", [str(tmp_path)])
            opened.set()

    await asyncio.gather(*(talk(f"s{number}") for number in range(SESSIONS)))
    assert set(finished[-len(SLOW) :]) == set(SLOW)
    await asyncio.gather(*(talk(f"s{number}") for number in range(0, SESSIONS, 10)))
    for number in range(SESSIONS):
        session = f"s{number}"
        assert await play.runner.state(session) == {"guest": session, "out": f"Thanks, {session}"}
        texts = [event.text for event in await play.runner.events(session) if event.text]
        assert texts == [session, f"Thanks, {session}"] * (2 if number % 10 == 0 else 1)
    play.calls.clear()
    assert left_behind(Invocation) == 0
    if kind == "sqlite":
        assert left_behind(Event) < SESSIONS // 5  # those of the sessions that were read last, and not of all
    await storage.aclose()


def left_behind(kind: type) -> int:
    gc.collect()
    return sum(isinstance(thing, kind) for thing in gc.get_objects())


class Endless:
    """A model that never stops talking, faster than anyone listens."""

    def __init__(self) -> None:
        self.said = 0

    def of(self, _: ModelCall) -> Endless:
        return self

    def rehearsal_reason(self, _: str | None) -> str | None:
        return None

    async def aclose(self) -> None:
        return None

    async def stream(self, _: object) -> AsyncGenerator[Item, None]:
        while True:
            self.said += 1
            yield TextDelta("x")


async def test_what_waits_for_a_slow_caller_is_bounded() -> None:
    model = Endless()
    play: Played = played("name: a", models=model)
    async with aclosing(play.runner.turn("s", "Hi")) as signals:
        await anext(signals)
        for _ in range(10 * _MOST_WAITING):
            await asyncio.sleep(0)
        assert model.said <= _MOST_WAITING + 1
