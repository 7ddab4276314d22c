"""How far a turn may go, and that it is stopped with an error that names the limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from play import Answers, hand_over, played, say, use

from rolebook.prompt.request import LlmRequest
from rolebook_runner.limits import Limits
from rolebook_runner.models.model import Item

PING_PONG = "name: ping\nsub_agents: [{name: pong}]"


def ping_pong(call: Any) -> list[Item]:
    return hand_over("pong" if call.place.agent.name == "ping" else "ping")


def tool_then_ping_pong(call: Any) -> list[Item]:
    """Each agent calls another tool before it hands over, so no two transfers stand in a row."""
    last = call.events[-1]
    answered = last.author == call.place.agent.name and "there is no tool" in str(last.parts)
    return ping_pong(call) if answered else use(("think", {}))


ENDLESS_LOOP = "agent_class: LoopAgent\nname: loop\nsub_agents: [{name: a}]"

KEEPS = "agent_class: LoopAgent\nname: loop\nsub_agents: [{name: a, output_key: long}]"

# Definition, what its agents answer, and the limit that stops it.
ENDLESS: list[Any] = [
    pytest.param("name: a", lambda _: use(("x", {})), "max_model_calls", 50, id="endless tool calls"),
    pytest.param(ENDLESS_LOOP, lambda _: say("on"), "max_model_calls", 50, id="an endless loop"),
    pytest.param(PING_PONG, ping_pong, "max_transfers", 11, id="transfer ping-pong"),
    pytest.param(KEEPS, lambda _: say("x" * 1000), "max_state_chars", 1, id="state that explodes"),
    pytest.param(PING_PONG, tool_then_ping_pong, "max_model_calls", 50, id="ping-pong with tools between"),
]


@pytest.mark.parametrize(("definition", "answer", "limit", "calls"), ENDLESS)
async def test_what_would_not_end_is_stopped(definition: str, answer: Any, limit: str, calls: int) -> None:
    limits = Limits(max_state_chars=999)
    play = await played(definition, models=Answers(answer), limits=limits).turn("Go.")
    assert play.error.limit == limit and f"({limit})" in play.error.message
    assert play.last.status == "failed"
    assert len(play.calls) == calls


async def test_as_many_as_the_limit_says_are_allowed() -> None:
    script = [use(("x", {})), say("done")]
    limits = Limits(max_model_calls=2)
    play = await played("name: a", models=Answers(lambda _: script.pop(0)), limits=limits).turn("Go.")
    assert play.last.status == "done"


class Silent(Answers):
    """A model that never answers."""

    def of(self, _: Any) -> Any:
        return self

    async def stream(self, _: LlmRequest) -> AsyncGenerator[Item, None]:
        await asyncio.Event().wait()
        yield say("never")[0]


async def test_a_turn_that_takes_too_long_is_stopped_and_keeps_what_is_stored() -> None:
    play = played("name: a", models=Silent(lambda _: []), limits=Limits(max_turn_seconds=0.01))
    await play.turn("Go.")
    assert play.error.limit == "max_turn_seconds"
    assert [event.author for event in await play.runner.events("s")] == ["user"]


async def test_a_fault_of_our_own_reaches_the_caller() -> None:
    def broken(_: Any) -> list[Item]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await played("name: a", models=Answers(broken)).turn("Go.")
