"""The exact cases of workflow agents: what is stored, and what each model call gets (spec §4)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from cases import load
from play import Answers, Played, in_turn, played, say, use

from rolebook.prompt.events import Event
from rolebook_runner.models.model import Item, ModelCall
from rolebook_runner.signals import EventStored

CASES = load("handing-on")["cases"]


async def run(case: Any) -> tuple[Played, list[int]]:
    """The case's turns played, and the round of each model call."""
    spoken: Counter[str] = Counter()
    rounds: list[int] = []

    def answer(call: ModelCall) -> list[Item]:
        spoken[call.place.agent.name] += 1
        rounds.append(spoken[call.place.agent.name])
        return say(f"{call.place.agent.name} says {spoken[call.place.agent.name]}")

    play = played(json.dumps(case["tree"]), models=Answers(answer))
    for event in case["events"]:
        if event["author"] == "user":
            await play.turn(event["text"])
    return play, rounds


def numbered(events: list[Event]) -> list[dict[str, Any]]:
    """The events as the cases write them, with their position as the id."""
    ids = {event.id: number for number, event in enumerate(events, 1)}
    return [
        {"id": ids[event.id], "author": event.author, "branch": event.branch, "text": event.text}
        | ({"handed_from": ids[event.handed_from]} if event.handed_from is not None else {})
        for event in events
    ]


def declared_order(events: list[Event]) -> list[Event]:
    """Children of a ParallelAgent run at the same time; neighbours on branches of one parent go by name, as listed."""

    def siblings(one: Event, other: Event) -> bool:
        return (
            one.handed_from is None is other.handed_from
            and ".fan." in (one.branch or "")
            and (one.branch or "").rpartition(".")[0] == (other.branch or "").rpartition(".")[0]
        )

    ordered = list(events)
    for index in range(len(ordered) - 1):
        if siblings(ordered[index], ordered[index + 1]) and ordered[index].author > ordered[index + 1].author:
            ordered[index : index + 2] = reversed(ordered[index : index + 2])
    return ordered


@pytest.mark.parametrize("case", [pytest.param(case, id=case["case"]) for case in CASES])
async def test_what_is_stored_and_seen(case: Any) -> None:
    play, rounds = await run(case)
    assert numbered(declared_order(play.events)) == case["events"]
    calls = [
        {"agent": call.place.agent.name, "branch": call.place.branch, "round": rounds[index], "sees": play.seen(index)}
        for index, call in enumerate(play.calls)
    ]
    key = lambda call: (call["round"], call["agent"])  # noqa: E731
    assert sorted(calls, key=key) == sorted(case["calls"], key=key)


SEQUENCE = """
agent_class: SequentialAgent
name: pipe
sub_agents: [{name: one}, {name: two}, {name: three}]
"""


async def test_a_step_without_text_hands_on_nothing() -> None:
    play = await played(SEQUENCE, models=in_turn(one=[say("first")], two=[[]], three=[say("third")])).turn("Go.")
    assert play.spoken() == [
        ("user", None, "Go."),
        ("one", "root.pipe.one", "first"),
        ("one", "root.pipe.two", "first"),
        ("three", "root.pipe.three", "third"),
        ("three", None, "third"),
    ]
    assert play.seen() == ["user: Go."]


LOOP = """
agent_class: LoopAgent
name: refine
sub_agents:
  - name: writer
  - name: critic
    tools: [{name: exit_loop}]
"""


async def test_a_loop_that_a_tool_ends_hands_on_the_last_text_written_in_it() -> None:
    models = in_turn(writer=[say("draft 1"), say("draft 2")], critic=[say("more"), use(("exit_loop", {}))])
    play = await played(LOOP, models=models).turn("Go.")
    assert play.last.status == "done"
    assert play.last.text == "draft 2"
    assert (play.events[-1].author, play.events[-1].branch, play.events[-1].text) == ("writer", None, "draft 2")


async def test_a_sequence_in_a_loop_is_left_at_once() -> None:
    definition = """
agent_class: LoopAgent
name: loop
sub_agents:
  - agent_class: SequentialAgent
    name: round
    sub_agents:
      - name: writer
      - name: critic
        tools: [{name: exit_loop}]
      - name: never
  - name: neither
"""
    models = in_turn(writer=[say("draft")], critic=[use(("exit_loop", {}))])
    play = await played(definition, models=models).turn("Go.")
    assert play.last.text == "draft"


async def test_a_loop_whose_rounds_ask_no_model_ends() -> None:
    play = await played("agent_class: LoopAgent\nname: idle\nsub_agents: []", models=in_turn()).turn("Go.")
    assert play.last.status == "done"


async def test_a_step_that_hands_over_ends_with_what_the_other_one_said() -> None:
    from play import hand_over

    definition = """
agent_class: SequentialAgent
name: pipe
sub_agents:
  - {name: lead, sub_agents: [{name: expert}]}
  - name: editor
"""
    models = in_turn(lead=[hand_over("expert")], expert=[say("facts")], editor=[say("edited")])
    play = await played(definition, models=models).turn("Go.")
    assert ("expert", "root.pipe.editor", "facts") in play.spoken()
    assert play.seen() == ["user: Go.", "user: [expert] said: facts"]


async def test_children_of_a_parallel_agent_do_not_see_each_others_state() -> None:
    definition = """
agent_class: SequentialAgent
name: all
sub_agents:
  - agent_class: ParallelAgent
    name: fan
    sub_agents:
      - {name: left, output_key: out}
      - {name: right, output_key: out}
  - {name: after, instruction: "{out}"}
"""
    play = await played(definition, models=Answers(lambda call: say(call.place.agent.name))).turn("Go.")
    assert [call.state for call in play.calls[:2]] == [{}, {}]
    assert play.calls[-1].request.dynamic_system_instruction == "right"
    assert (await play.runner.state("s")) == {"out": "right"}
    assert "`out`" in play.warnings[0]
    assert [signal.event.metadata["state"] for signal in play.told(EventStored) if not signal.event.parts] == [
        {"out": "right"}
    ]
