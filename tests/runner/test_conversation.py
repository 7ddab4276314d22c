"""Conversations over several agents: the seed's router, transfers in every direction, and whose turn it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from build import tree
from play import Played, hand_over, in_turn, played, played_in, say, use

from rolebook.prompt.events import Event, TextPart
from rolebook.prompt.turn import whose_turn
from rolebook_runner.signals import AgentStarted, Transferred

ROUTER = """
name: router
instruction: Route requests to weather or news agents.
rehearsal:
  - {on: weather, transfer: weather}
  - {on: news, transfer: news}
sub_agents:
  - name: weather
    instruction: Provide weather forecasts.
    disallow_transfer_to_parent: true
    disallow_transfer_to_peers: true
    tools: [{name: tools.get_weather}]
    rehearsal:
      - call: {get_weather: {city: NYC}}
      - say: "NYC: {result.temp_f}°F, sunny"
  - name: news
    instruction: Summarize current news.
    disallow_transfer_to_parent: true
    disallow_transfer_to_peers: true
    tools: [{name: tools.get_news}]
    rehearsal:
      - call: {get_news: {topic: tech}}
      - say: "{result.0}"
"""
TOOLS = '''
def get_weather(city: str) -> dict[str, float]:
    """The weather in a city."""
    return {"temp_f": 72}


async def get_news(topic: str) -> list[str]:
    """The latest news."""
    return [f"News about {topic}"]
'''


async def converse(tmp_path: Path) -> Played:
    play = played_in(tmp_path, {"root_agent.yaml": ROUTER, "tools.py": TOOLS})
    await play.turn("What's the weather in NYC?")
    return await play.turn("Any tech news?")


async def test_the_seven_events_of_the_seed(tmp_path: Path) -> None:
    play = await converse(tmp_path)
    kinds = [
        (event.author, event.branch, event.text or [call.name for call in event.calls] or "responses")
        for event in play.events
    ]
    assert kinds == [
        ("user", None, "What's the weather in NYC?"),
        ("router", "root.router", ["transfer_to_agent"]),
        ("router", "root.router", "responses"),
        ("weather", "root.router.weather", ["get_weather"]),
        ("weather", "root.router.weather", "responses"),
        ("weather", "root.router.weather", "NYC: 72°F, sunny"),
        ("user", None, "Any tech news?"),
        ("router", "root.router", ["transfer_to_agent"]),
        ("router", "root.router", "responses"),
        ("news", "root.router.news", ["get_news"]),
        ("news", "root.router.news", "responses"),
        ("news", "root.router.news", "News about tech"),
    ]
    assert len({event.invocation for event in play.events}) == 2


async def test_the_news_agent_never_sees_the_weather_agents_calls(tmp_path: Path) -> None:
    play = await converse(tmp_path)
    ids = {event.id: number for number, event in enumerate(play.events, 1)}
    seen = {
        (call.place.agent.name, call.invocation): [
            ids[message.event] for message in call.request.messages if message.event
        ]
        for call in play.calls
    }
    first, second = dict.fromkeys(call.invocation for call in play.calls)
    assert seen == {
        ("router", first): [1],
        ("weather", first): [1, 2, 3, 4, 5],
        ("router", second): [1, 2, 3, 7],
        ("news", second): [1, 2, 3, 7, 8, 9, 10, 11],
    }
    assert play.seen()[4] == 'user: [router] called tool `transfer_to_agent` with parameters: {"agent_name":"news"}'


TEAM = """
name: lead
sub_agents:
  - {name: left, sub_agents: [{name: deep}]}
  - {name: right}
"""


async def team(**scripts: Any) -> Played:
    return await played(TEAM, models=in_turn(**scripts)).turn("Hi")


async def test_a_note_to_a_sub_agent_is_seen_in_the_call_itself_and_not_stored_again() -> None:
    play = await team(lead=[hand_over("left", "be brief")], left=[say("ok")])
    assert [event.handed_from for event in play.events] == [None] * 4
    assert '"note":"be brief"' in play.seen()[1]


async def test_a_note_to_a_peer_is_handed_on() -> None:
    play = await team(lead=[hand_over("left")], left=[hand_over("right", "be brief")], right=[say("ok")])
    note = play.events[5]
    assert (note.author, note.branch, note.text) == ("left", "root.lead.right", "be brief")
    assert note.handed_from == play.events[3].id and play.events[3].calls[0].name == "transfer_to_agent"
    assert play.seen()[-1] == "user: [left] said: be brief"
    assert [(signal.source, signal.target) for signal in play.told(Transferred)] == [
        ("lead", "left"),
        ("left", "right"),
    ]


async def test_a_note_to_the_parent_is_handed_on() -> None:
    play = await team(lead=[hand_over("left"), say("ok")], left=[hand_over("lead", "not mine")])
    assert play.seen()[-1] == "user: [left] said: not mine"
    assert [signal.agent for signal in play.told(AgentStarted)] == ["lead", "left", "lead"]


async def test_a_transfer_without_a_note_hands_on_nothing() -> None:
    play = await team(lead=[hand_over("left")], left=[hand_over("right")], right=[say("ok")])
    assert all(event.handed_from is None for event in play.events)
    assert play.seen()[-1].startswith("user: [lead] tool `transfer_to_agent` returned:")


@pytest.mark.parametrize("name", ["deep", "nobody", "lead"])
async def test_who_is_no_target_is_told_to_the_model(name: str) -> None:
    play = await team(lead=[hand_over(name), say("then I answer")])
    error = {"error": f"`{name}` is no agent to hand over to from here; the targets are: `left`, `right`"}
    assert play.events[2].parts[0].response == error  # type: ignore[union-attr]
    assert play.last.text == "then I answer"


async def test_the_first_of_several_transfers_counts_and_other_tools_are_answered() -> None:
    two = use(("transfer_to_agent", {"agent_name": "left"}), ("x", {}), ("transfer_to_agent", {"agent_name": "right"}))
    play = await team(lead=[two], left=[say("ok")])
    first, other, second = (part.response for part in play.events[2].parts)  # type: ignore[union-attr]
    assert first == {"transferred_to": "left"}
    assert other["error"].startswith("there is no tool `x`")
    assert second == {"error": "the conversation is handed to `left` already"}


async def test_the_next_turn_goes_to_the_agent_that_spoke_last() -> None:
    play = await team(lead=[hand_over("left")], left=[say("one"), hand_over("right")], right=[say("two"), say("three")])
    await play.turn("And?")
    await play.turn("And then?")
    assert play.spoken()[-1] == ("right", "root.lead.right", "three")


# Who spoke (author and branch), and whose turn it is then.
LAST: list[tuple[str, str, list[tuple[str, str | None]], str]] = [
    ("nobody spoke", TEAM, [], "lead"),
    ("a sub-agent", TEAM, [("lead", "root.lead"), ("right", "root.lead.right")], "right"),
    ("a deep one", TEAM, [("deep", "root.lead.left.deep"), ("user", None)], "deep"),
    ("one that left the tree", TEAM, [("right", "root.lead.right"), ("gone", "root.lead.gone")], "right"),
    ("one that may not go back", ROUTER, [("router", "root.router"), ("news", "root.router.news")], "router"),
    (
        "a step of a workflow",
        "name: lead\nsub_agents: [{agent_class: SequentialAgent, name: pipe, sub_agents: [{name: step}]}]",
        [("lead", "root.lead"), ("step", "root.lead.pipe.step")],
        "lead",
    ),
    (
        "a root that is a workflow",
        "agent_class: LoopAgent\nname: loop\nsub_agents: [{name: step}]",
        [("step", None)],
        "loop",
    ),
    (
        "one name at two places",
        "name: lead\nsub_agents: [{name: a, sub_agents: [{name: x}]}, {name: b, sub_agents: [{name: x}]}]",
        [("x", "root.lead.b.x")],
        "root.lead.b.x",
    ),
]


@pytest.mark.parametrize(("definition", "spoke", "turn"), [pytest.param(*rest, id=name) for name, *rest in LAST])
def test_whose_turn_it_is(definition: str, spoke: list[tuple[str, str | None]], turn: str) -> None:
    events = [Event(number, author, branch, (TextPart("x"),)) for number, (author, branch) in enumerate(spoke)]
    place = whose_turn(tree(definition), events)
    assert turn in (place.agent.name, place.branch)


def test_what_was_handed_on_is_no_speech() -> None:
    events = [
        Event(1, "right", "root.lead.right", (TextPart("x"),)),
        Event(2, "left", "root.lead.right", (TextPart("note"),), handed_from=1),
    ]
    assert whose_turn(tree(TEAM), events).agent.name == "right"


@pytest.mark.parametrize(
    ("definition", "named"),
    [
        ("name: a\nsub_agents: [{agent_class: Workflow, name: flow, edges: []}]", "`flow` is a `Workflow`"),
        ("name: a\nsub_agents: [{agent_class: my_app.Planner, name: plan}]", "`plan` is a `my_app.Planner`"),
        ("name: a\nsub_agents: [{code: my_app.agent}]", "`my_app.agent` in code"),
    ],
)
def test_what_cannot_be_run_is_named(definition: str, named: str) -> None:
    from rolebook_runner.errors import RunError

    with pytest.raises(RunError, match=named):
        played(definition)
