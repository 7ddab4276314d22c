"""The seed's three agents as they run: its table of seven events, and its list of what the weather agent sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from play import Answers, Played, played_in

from rolebook.project.discover import workspace_root
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event, FunctionResponse
from rolebook.wire.stream import Finish, TextDelta, ToolCall
from rolebook_runner.models.model import Item, ModelCall

ROUTER = """
name: router
model: m
instruction: Route requests to weather or news agents.
sub_agents:
  - name: weather
    instruction: Provide weather forecasts.
    tools: [{name: get_weather, description: The weather., parameters: {type: object}, function: world.get_weather}]
    disallow_transfer_to_parent: true
  - name: news
    instruction: Summarize current news.
    tools: [{name: get_news, description: The news., parameters: {type: object}, function: world.get_news}]
    disallow_transfer_to_parent: true
"""
BELOW_ROOT = "name: root\nmodel: m\nsub_agents: [{config_path: router.yaml}]\n"
WORLD = """
def get_weather(city): return {"temp_f": 72}
def get_news(topic): return ["A new chip"]
"""
ANSWERS = {"weather": "NYC: 72°F, sunny", "news": "A new chip"}
TOOLS = {"weather": ("get_weather", {"city": "NYC"}), "news": ("get_news", {"topic": "tech"})}

# Each row as in the seed: the author, the branch, the text or the tool, and who sees it.
TABLE = [
    ("user", None, "Weather in NYC?", {"router", "weather", "news"}),
    ("router", "root.router", "Delegating to weather...", {"router", "weather", "news"}),
    ("weather", "root.router.weather", "get_weather", {"weather"}),
    ("weather", "root.router.weather", "NYC: 72°F, sunny", {"weather"}),
    ("user", None, "Any tech news?", {"router", "weather", "news"}),
    ("router", "root.router", "Delegating to news...", {"router", "weather", "news"}),
    ("news", "root.router.news", "get_news", {"news"}),
]


def answer(call: ModelCall) -> list[Item]:
    """Specialists call their tool, then answer; the others say whom they hand over to, and do."""
    name, last = call.place.agent.name, call.events[-1]
    if name in ANSWERS and last.author == name:
        return [TextDelta(ANSWERS[name]), Finish("stop")]
    if name in ANSWERS:
        tool, args = TOOLS[name]
        return [ToolCall(f"c{len(call.events)}", tool, args), Finish("tool_calls")]
    said = next(event.text for event in reversed(call.events) if event.author == "user")
    target = "router" if name == "root" else "weather" if "Weather" in said else "news"
    handed = ToolCall(f"c{len(call.events)}", "transfer_to_agent", {"agent_name": target})
    return [TextDelta(f"Delegating to {target}..."), handed, Finish("tool_calls")]


async def conversation(folder: Path, root: str = ROUTER) -> Played:
    files = {"root_agent.yaml": root, "router.yaml": ROUTER, "world.py": WORLD}
    play = played_in(folder, files, models=Answers(answer))
    await play.turn("Weather in NYC?")
    return await play.turn("Any tech news?")


def told(event: Event) -> str:
    return event.text or ", ".join(call.name for call in event.calls)


def without_responses(events: list[Event]) -> list[Event]:
    return [event for event in events if not isinstance(event.parts[0], FunctionResponse)]


async def test_the_seven_events(tmp_path: Path) -> None:
    events = without_responses((await conversation(tmp_path)).events)
    assert [(event.author, event.branch, told(event)) for event in events[:7]] == [row[:3] for row in TABLE]
    assert told(events[7]) == "A new chip" and len(events) == 8


@pytest.mark.parametrize("agent", ["router", "weather", "news"])
async def test_who_sees_which_of_the_seven_events(agent: str, tmp_path: Path) -> None:
    play = await conversation(tmp_path)
    place = play.tree.named(agent)
    assert place is not None
    request = compile_request(play.tree, place, Context(), play.events).request
    numbers = {event.id: number for number, event in enumerate(without_responses(play.events)[:7])}
    seen = {numbers[message.event] for message in request.messages if message.event in numbers}
    assert seen == {number for number, row in enumerate(TABLE) if agent in row[3]}


async def test_what_the_news_agent_was_sent(tmp_path: Path) -> None:
    play = await conversation(tmp_path)
    assert play.calls[-1].place.agent.name == "news"
    assert play.seen() == [
        "user: Weather in NYC?",
        "user: [router] said: Delegating to weather...",
        'user: [router] called tool `transfer_to_agent` with parameters: {"agent_name":"weather"}',
        'user: [router] tool `transfer_to_agent` returned: {"transferred_to":"weather"}',
        "user: Any tech news?",
        "user: [router] said: Delegating to news...",
        'user: [router] called tool `transfer_to_agent` with parameters: {"agent_name":"news"}',
        'user: [router] tool `transfer_to_agent` returned: {"transferred_to":"news"}',
    ]


async def test_the_branches_that_the_weather_agent_sees(tmp_path: Path) -> None:
    play = await conversation(tmp_path, BELOW_ROOT)
    assert {event.branch for event in play.events} == {
        None,
        "root",
        "root.router",
        "root.router.weather",
        "root.router.news",
    }
    branches = {event.id: event.branch for event in play.events}
    place = play.tree.named("weather")
    assert place is not None
    request = compile_request(play.tree, place, Context(), play.events).request
    assert {branches[message.event] for message in request.messages} == {
        None,
        "root",
        "root.router",
        "root.router.weather",
    }


async def test_the_router_among_the_examples_keeps_its_specialists_apart() -> None:
    path = str(Path(__file__).parents[2] / "examples" / "router" / "root_agent.yaml")
    play = Played(Snapshot(DiskFiles(), workspace_root(path)), path)
    for text in ("What's the weather in NYC?", "Any tech news?", "And the weather now?"):
        await play.turn(text)
    assert play.told_tools().count("get_weather") == 2 and "get_news" in play.told_tools()
    for call in play.calls:
        own = TOOLS[call.place.agent.name][0] if call.place.agent.name in TOOLS else None
        sent = str([message.parts for message in call.request.messages])
        assert not any(tool in sent for tool, _ in TOOLS.values() if tool != own)
