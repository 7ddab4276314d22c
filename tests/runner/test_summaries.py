"""Summaries in a run: when one is made, what is stored, and that whatever goes wrong loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from play import Answers, Played, played, say, use

from rolebook.prompt.compile import compile_request
from rolebook.prompt.compress import summary_text
from rolebook.prompt.context import Context
from rolebook.prompt.events import COMPACTION, USER, Event, TextPart
from rolebook.prompt.request import LlmRequest
from rolebook.wire.stream import Finish, StreamError
from rolebook_runner.errors import RunError
from rolebook_runner.limits import Limits
from rolebook_runner.models.choose import DefaultModels
from rolebook_runner.models.model import Item, ModelCall
from rolebook_runner.sessions.memory import MemoryStore
from rolebook_runner.signals import TextDelta

KEEP_TWO = "name: a\nmodel: m\ncontext_compressor: {strategy: summarize, keep_recent: 2, threshold: 3}"


def answers(summary: Any = None, **others: Any) -> Answers:
    """`re N` to the user's Nth message; `summary` is what a call for a summary gives, by default `sum of N`."""

    def answer(call: ModelCall) -> list[Item]:
        if not call.summarizes:
            return say(f"re {sum(event.author == USER for event in call.events)}")
        return summary(call) if callable(summary) else say(f"sum of {len(call.summarizes)}")

    return Answers(answer, **others)


async def talk(play: Played, turns: int) -> Played:
    for number in range(1, turns + 1):
        await play.turn(f"q{number}")
    return play


def compactions(play: Played) -> list[Event]:
    return [event for event in play.events if event.author == COMPACTION]


async def test_older_messages_are_summarized_once_and_the_event_says_what_it_replaces() -> None:
    play = await talk(played(KEEP_TWO, models=answers()), 3)
    assert [bool(call.summarizes) for call in play.calls] == [False, False, True, False]
    assert play.seen() == [f"user: {summary_text('sum of 3')}", "model: re 2", "user: q3"]
    ids = {event.id: event.text for event in play.events}
    (made,) = compactions(play)
    assert (made.branch, [ids[id] for id in made.replaces]) == ("root.a", ["q1", "re 1", "q2"])
    assert made.text == "Summary of the earlier conversation:\nsum of 3"
    assert made.invocation == play.events[-1].invocation
    assert [signal.text for signal in play.told(TextDelta)] == ["re 1", "re 2", "re 3"]


async def test_a_later_summary_takes_the_earlier_one_in() -> None:
    play = await talk(played(KEEP_TWO, models=answers()), 4)
    first, second = compactions(play)
    assert second.replaces[0] == first.id and len(second.replaces) == 3
    assert "sum of 3" in play.calls[4].request.messages[0].parts[0].text  # type: ignore[union-attr]
    assert play.seen() == [f"user: {summary_text('sum of 3')}", "model: re 3", "user: q4"]


async def test_what_was_asked_for_a_summary() -> None:
    definition = """
name: a
model: m
context_compressor: {strategy: summarize, keep_recent: 1, summary_instruction: Be brief., model: small}
"""
    play = await talk(played(definition, models=answers()), 2)
    request = play.calls[1].request
    assert (request.model, request.instruction, request.tools) == ("small", "Be brief.", ())
    assert request.messages[0].parts == (TextPart("User: q1\nAgent: re 1"),)
    assert compactions(play)[0].metadata["model"] == "small"


async def test_the_runs_own_model_summarizes_too() -> None:
    definition = "name: a\ncontext_compressor: {strategy: summarize, keep_recent: 1, model: small}"
    play = await talk(played(definition, models=answers(), model="mine"), 2)
    assert [call.request.model for call in play.calls] == ["mine"] * 3


async def test_the_preview_of_the_stored_events_is_what_was_sent() -> None:
    play = await talk(played(KEEP_TWO, models=answers()), 4)
    for call in play.calls:
        compilation = compile_request(play.tree, call.place, Context(), call.events)
        assert bool(compilation.summary) is bool(call.summarizes)
        assert compilation.summary or compilation.request == call.request


def refuse(_: ModelCall) -> list[Item]:
    return [*say("I can't")[:-1], Finish("refusal")]


def unreachable(_: ModelCall) -> list[Item]:
    raise RunError("no server")


FAILING: list[tuple[str, Any, str]] = [
    ("no text", lambda _: say(" \n"), "without a text"),
    ("a tool call", lambda _: use(("x", {})), "without a text"),
    ("a refusal", refuse, "refused"),
    ("an error in the stream", lambda _: [*say("half")[:-1], StreamError("overloaded")], "overloaded"),
    ("no connection", unreachable, "no server"),
]


@pytest.mark.parametrize(("summary", "problem"), [pytest.param(*rest, id=name) for name, *rest in FAILING])
async def test_one_that_fails_leaves_the_messages_and_says_so(summary: Any, problem: str) -> None:
    play = await talk(played(KEEP_TWO, models=answers(summary)), 3)
    assert play.last.status == "done"
    assert play.seen() == ["user: q1", "model: re 1", "user: q2", "model: re 2", "user: q3"]
    (failed,) = compactions(play)
    assert (failed.parts, failed.replaces) == ((), ()) and problem in str(failed.metadata["error"])
    assert any("summary of 3 messages failed" in warning and problem in warning for warning in play.warnings)
    sent = play.calls[-1]
    assert compile_request(play.tree, sent.place, Context(), sent.events).request == sent.request


async def test_a_failed_one_is_tried_again_in_the_next_turn_but_not_in_the_same() -> None:
    tools = iter([False, False, True, False, False])

    def answer(call: ModelCall) -> list[Item]:
        if call.summarizes:
            return unreachable(call) if len(call.summarizes) == 3 else say("at last")
        return use(("x", {})) if next(tools) else say("ok")

    play = await talk(played(KEEP_TWO, models=Answers(answer)), 4)
    assert [len(call.summarizes) for call in play.calls] == [0, 0, 3, 0, 0, 7, 0]
    assert play.seen()[0] == f"user: {summary_text('at last')}"


async def test_a_summary_counts_as_a_model_call() -> None:
    play = await talk(played(KEEP_TWO, models=answers(), limits=Limits(max_model_calls=1)), 3)
    assert play.error.limit == "max_model_calls"
    assert [event.author for event in play.events][-2:] == [USER, COMPACTION]
    await play.turn("q4")
    assert play.last.status == "failed" and len(compactions(play)) == 2


async def test_a_summary_without_a_call_left_is_no_failed_one() -> None:
    play = played(KEEP_TWO, models=Answers(lambda _: use(("x", {}))), limits=Limits(max_model_calls=2))
    await play.turn("q1")
    assert play.error.limit == "max_model_calls" and compactions(play) == []


class Waiting(Answers):
    """Waits for ever when it is asked for a summary."""

    def of(self, call: ModelCall) -> Any:
        return self if call.summarizes else super().of(call)

    async def stream(self, _: LlmRequest) -> AsyncGenerator[Item, None]:
        yield say("half of ")[0]
        await asyncio.Event().wait()


async def test_a_turn_that_is_stopped_while_it_summarizes_loses_nothing_and_goes_on_later() -> None:
    store = MemoryStore()
    play = await talk(played(KEEP_TWO, models=answers(), store=store), 2)
    stuck = played(KEEP_TWO, models=Waiting(answers().answer), store=store)
    turn = asyncio.create_task(stuck.turn("q3"))
    while not stuck.calls:
        await asyncio.sleep(0)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    stored = [event.text for event in await play.runner.events("s")]
    assert stored == ["q1", "re 1", "q2", "re 2", "q3"]
    await play.turn("q4")
    assert play.seen()[0] == f"user: {summary_text('sum of 4')}"


async def test_agents_that_run_at_the_same_time_summarize_each_for_itself() -> None:
    definition = """
agent_class: ParallelAgent
name: both
sub_agents:
  - {name: a, context_compressor: {strategy: summarize, keep_recent: 1, threshold: 2}}
  - {name: b, context_compressor: {strategy: summarize, keep_recent: 1, threshold: 3}}
  - {name: c}
"""
    models = Answers(lambda call: say(f"sum of {call.place.agent.name}" if call.summarizes else call.place.agent.name))
    play = await talk(played(definition, models=models), 2)
    assert sorted((event.branch, event.text) for event in compactions(play)) == [
        ("root.both.a", summary_text("sum of a")),
        ("root.both.b", summary_text("sum of b")),
    ]
    last = {call.place.agent.name: call.request for call in play.calls if not call.summarizes}
    first = {name: request.messages[0].parts[0].text for name, request in last.items()}  # type: ignore[union-attr]
    assert first == {"a": summary_text("sum of a"), "b": summary_text("sum of b"), "c": "q1"}


async def test_a_summary_of_a_parent_is_what_its_children_see() -> None:
    definition = KEEP_TWO + "\nsub_agents: [{name: kid}]"

    def answer(call: ModelCall) -> list[Item]:
        if call.summarizes:
            return say("S")
        handing = call.place.agent.name == "a" and len(call.events) > 5
        return use(("transfer_to_agent", {"agent_name": "kid"})) if handing else say("ok")

    play = await talk(played(definition, models=Answers(answer)), 3)
    assert play.calls[-1].place.agent.name == "kid"
    assert play.seen()[:2] == [f"user: {summary_text('S')}", "user: [a] said: ok"]


async def test_contents_of_none_are_summarized_within_the_turn() -> None:
    tools = iter([True, True, True, False])

    def answer(call: ModelCall) -> list[Item]:
        return say("S") if call.summarizes else use(("x", {})) if next(tools) else say("done")

    play = await played(KEEP_TWO + "\ninclude_contents: none", models=Answers(answer)).turn("q1")
    assert play.last.status == "done"
    assert play.seen()[0] == f"user: {summary_text('S')}"
    assert len(play.calls[-1].request.messages) == 3


async def test_a_rehearsal_summarizes_by_saying_what_it_was_given() -> None:
    definition = KEEP_TWO.replace("model: m", "rehearsal: [{say: 'Yes: {input}'}]")
    play = await talk(played(definition, models=DefaultModels({})), 3)
    assert compactions(play)[0].text.splitlines() == [
        "Summary of the earlier conversation:",
        "[rehearsal] 3 messages were summarized.",
        "First: q1",
        "Last: q2",
    ]
    assert play.last.text == "Yes: q3"
