"""The six recipes of the seed as they run: what each agent saw of the conversation, and what was stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from play import Played, in_turn, say, use

from rolebook.project.discover import workspace_root
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.compress import summary_text
from rolebook.prompt.events import COMPACTION
from rolebook_runner.memory.process import ProcessMemory

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"


def recipe(name: str, **options: Any) -> Played:
    path = RECIPES / name / "root_agent.yaml"
    return Played(Snapshot(DiskFiles(), workspace_root(str(path))), str(path), **options)


def talk(name: str) -> list[str]:
    return (RECIPES / name / "talk.txt").read_text("utf-8").splitlines()


def instruction(play: Played, index: int = -1) -> str:
    return play.calls[index].request.dynamic_system_instruction


# 1: memory


def with_memory(context: str) -> str:
    return f"You are a personal assistant with memory across sessions.\n{context}\nThe user's name is Alice."


NEW = with_memory("This is a new user. Be welcoming.")


async def test_a_second_session_is_told_what_the_first_one_said() -> None:
    play = recipe("1-memory")
    await play.turn("I plan a trip to Lisbon.", "monday")
    assert instruction(play) == NEW
    await play.turn("What do I pack for my trip?", "friday")
    assert instruction(play) == with_memory(
        "Previous context:\nI plan a trip to Lisbon.\n\nUse this to personalize your responses."
    )
    assert play.seen() == ["user: What do I pack for my trip?"]


async def test_what_the_own_session_said_is_no_memory() -> None:
    play = recipe("1-memory")
    await play.turn("I plan a trip to Lisbon.", "monday")
    await play.turn("My trip is in May.", "monday")
    assert instruction(play) == NEW


async def test_what_a_user_said_is_no_template() -> None:
    play = recipe("1-memory")
    await play.turn("My code is {user_name}, or {artifact.code}.", "monday")
    await play.turn("What is my code?", "friday")
    assert "\nMy code is {user_name}, or {artifact.code}.\n" in instruction(play)


async def test_another_user_is_new() -> None:
    memory = ProcessMemory()
    await recipe("1-memory", memory=memory, user="alice").turn("I plan a trip to Lisbon.")
    assert instruction(await recipe("1-memory", memory=memory, user="bob").turn("Where does my trip go?")) == NEW


# 2: business hours

WEEKEND = (
    "Weekend mode. You can help with general questions but cannot process refunds or account changes."
    " Direct urgent issues to Monday support."
)
OPEN = "Business hours. Full capabilities available. You can process refunds up to $100 and make account changes."
CLOSED = (
    "After hours. You can help with general questions and create tickets for the morning team."
    " No account modifications."
)
TIMES = [
    ("2026-03-02T09:00:00Z", OPEN),
    ("2026-03-02T16:59:59Z", OPEN),
    ("2026-03-02T17:00:00Z", CLOSED),
    ("2026-03-02T08:59:59Z", CLOSED),
    ("2026-03-06T16:00:00Z", OPEN),
    ("2026-03-07T12:00:00Z", WEEKEND),
    ("2026-03-08T23:59:59Z", WEEKEND),
    ("2026-03-09T00:30:00+02:00", WEEKEND),
]


@pytest.mark.parametrize(("now", "text"), TIMES)
async def test_instruction_and_tools_follow_the_clock(now: str, text: str) -> None:
    play = await recipe("2-business-hours").turn("I want my money back.", state={"now": now})
    assert instruction(play, 0) == text
    tools = ["general_faq", "create_ticket", *(["refund"] if text == OPEN else [])]
    assert [tool.name for tool in play.calls[0].request.tools] == tools  # type: ignore[union-attr]
    (response,) = play.responses
    assert ("refunded" in response) is (text == OPEN)


@pytest.fixture
def desk() -> Iterator[Any]:
    sys.path.insert(0, str(RECIPES / "2-business-hours"))
    import desk as module

    yield module
    sys.path.remove(str(RECIPES / "2-business-hours"))


def test_without_another_time_the_clock_of_the_run_counts(desk: Any) -> None:
    monday = datetime(2026, 3, 2, 18, tzinfo=timezone(timedelta(hours=2)))
    texts = [desk.instruction(SimpleNamespace(state={}, now=now)) for now in (monday, monday.astimezone(UTC))]
    assert texts == [OPEN, OPEN]


def test_large_refunds_need_a_human(desk: Any) -> None:
    assert desk.refund("A-17", 100) == {"order": "A-17", "refunded": 100}
    with pytest.raises(ValueError, match="human"):
        desk.refund("A-17", 101)


# 3: progressive disclosure


async def test_three_stages() -> None:
    play = recipe("3-progressive-disclosure")
    for line in talk("3-progressive-disclosure"):
        await play.turn(line)
    stages = [instruction(play, index).split("\n")[1].split(".")[0] for index in range(len(play.calls))]
    assert stages == [
        *["The student just started"] * 2,
        *["The student is warming up"] * 4,
        "Extended conversation",
    ]
    assert [len(call.events) for call in play.calls] == [1, 3, 5, 7, 9, 11, 13]
    assert {instruction(play, index).split("\n")[0] for index in range(7)} == {"You are a coding tutor."}


# 4: pipeline

FINDINGS = "Key findings: Tides are two bulges of water, raised by the Moon. Most coasts see two high tides a day."
DRAFT = "The sea rises and falls twice a day, cause the Moon pulls at it, and the Sun does to."
FINAL = "Twice a day the sea rises and falls, because the Moon pulls at it. So does the Sun."
ASKED = "An article on tides, please."


async def test_what_the_steps_of_the_pipeline_store() -> None:
    play = await recipe("4-pipeline").turn(ASKED)
    stored = [
        (event.author, event.branch, event.text or [call.name for call in event.calls] or "response")
        for event in play.events
    ]
    pipeline = "root.content_pipeline"
    assert stored == [
        ("user", None, ASKED),
        ("researcher", f"{pipeline}.researcher", ["search"]),
        ("researcher", f"{pipeline}.researcher", "response"),
        ("researcher", f"{pipeline}.researcher", FINDINGS),
        ("researcher", f"{pipeline}.writer", FINDINGS),
        ("writer", f"{pipeline}.writer", DRAFT),
        ("writer", f"{pipeline}.editor", DRAFT),
        ("editor", f"{pipeline}.editor", FINAL),
        ("editor", None, FINAL),
    ]
    assert [(event.branch, event.handed_from) for event in play.events if event.handed_from is not None] == [
        (f"{pipeline}.writer", play.events[3].id),
        (f"{pipeline}.editor", play.events[5].id),
        (None, play.events[7].id),
    ]
    assert play.last.text == FINAL


async def test_the_writer_sees_no_tool_calls_and_the_editor_only_the_writers_text() -> None:
    play = await recipe("4-pipeline").turn(ASKED)
    assert [call.place.agent.name for call in play.calls] == ["researcher", "researcher", "writer", "editor"]
    own = [[type(part).__name__ for part in message.parts] for message in play.calls[1].request.messages]
    assert own == [["TextPart"], ["FunctionCall"], ["FunctionResponse"]]
    assert play.seen(2) == [f"user: {ASKED}", f"user: [researcher] said: {FINDINGS}"]
    assert play.seen(3) == [f"user: {ASKED}", f"user: [writer] said: {DRAFT}"]
    for call in play.calls[2:]:
        assert all(type(part).__name__ == "TextPart" for message in call.request.messages for part in message.parts)
        assert "tool `search`" not in str(call.request.to_json())


async def test_a_second_article_starts_from_the_last_final_version() -> None:
    play = await recipe("4-pipeline").turn(ASKED)
    await play.turn("Shorter.")
    assert play.seen(6) == [
        f"user: {ASKED}",
        f"user: [researcher] said: {FINDINGS}",
        f"model: {DRAFT}",
        f"user: [editor] said: {FINAL}",
        "user: Shorter.",
        f"user: [researcher] said: {play.events[12].text}",
    ]


# 5: personality


def style(style: str = "friendly", interests: str = "not known yet") -> str:
    return (
        f"You are a helpful assistant.\nCommunication style: {style}\n"
        f"Expertise level to target: beginner\nTopics the user is interested in: {interests}\n"
    )


async def test_a_preference_is_in_the_next_instruction() -> None:
    play = await recipe("5-personality").turn("Please be formal.")
    await play.turn("I like tides.")
    await play.turn("Thank you.")
    assert [instruction(play, index) for index in range(len(play.calls))] == [
        style(),
        style("formal"),
        style("formal"),
        style("formal", "tides"),
        style("formal", "tides"),
    ]
    assert [event.metadata["state"] for event in play.events if "state" in event.metadata] == [
        {"communication_style": "formal"},
        {"interests": "tides"},
    ]
    assert instruction(await play.turn("Hi", "another session")) == style()


async def test_other_keys_are_refused_and_the_model_is_told() -> None:
    models = in_turn(adaptive=[use(("set_preference", {"key": "user:admin", "value": "yes"})), say("ok")])
    play = await recipe("5-personality", models=models).turn("Make me admin.")
    (response,) = play.responses
    assert "user:admin" in response["error"]
    assert "user:admin" not in await play.runner.state("s")


# 6: long session


async def test_the_older_part_of_a_long_session_becomes_a_summary() -> None:
    lines = talk("6-long-session")
    play = recipe("6-long-session")
    for line in lines:
        await play.turn(line)
    asked = [index for index, call in enumerate(play.calls) if call.summarizes]
    assert asked == [len(lines) - 1]  # the sixteenth message is the first that is too many, and comes with an answer
    request = play.calls[asked[0]].request
    assert request.instruction.startswith("Summarize this conversation segment. Preserve:\n- Key decisions made\n")
    assert (len(request.messages), request.tools) == (1, ())

    (made,) = [event for event in play.events if event.author == COMPACTION]
    texts = {event.id: event.text for event in play.events}
    assert [texts[id] for id in made.replaces] == [
        text for line in lines[:4] for text in (line, "planning: noted.")
    ] + [lines[4]]
    summary = summary_text(f"[rehearsal] 9 messages were summarized.\nFirst: {lines[0]}\nLast: {lines[4]}")
    assert play.seen() == [
        f"user: {summary}",
        "model: planning: noted.",
        *(text for line in lines[5:8] for text in (f"user: {line}", "model: planning: noted.")),
        f"user: {lines[8]}",
    ]


async def test_a_summary_serves_the_turns_after_it() -> None:
    play = recipe("6-long-session")
    for number in range(13):
        await play.turn(f"Point {number}.")
    summaries = [index for index, call in enumerate(play.calls) if call.summarizes]
    assert len(summaries) == 2
    between = [call.request.messages for call in play.calls[summaries[0] + 1 : summaries[1]]]
    assert [len(messages) for messages in between] == [9, 11, 13, 15]
    assert {messages[0].event for messages in between} == {play.events[17].id}


async def test_the_phase_of_the_project_is_state() -> None:
    play = recipe("6-long-session")
    await play.turn("Hi")
    assert instruction(play) == "You are helping Alice with project Apollo.\nCurrent phase: planning.\n"
    await play.turn("Go.", state={"project_phase": "building", "project_name": "Gemini"})
    assert instruction(play) == "You are helping Alice with project Gemini.\nCurrent phase: building.\n"
    assert play.calls[0].request.static_system_instruction == play.calls[1].request.static_system_instruction
