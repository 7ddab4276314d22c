"""A running turn as text: agents that speak at the same time, and what is said of a turn that was stopped."""

from __future__ import annotations

import io

import pytest

from rolebook.prompt.events import Event, FunctionResponse, Part, TextPart
from rolebook_cli.running.live import Live
from rolebook_runner.signals import (
    AgentFinished,
    EventStored,
    Signal,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    Warning,
)


def says(agent: str, text: str) -> Signal:
    return TextDelta(agent, f"root.{agent}", text)


def stored(agent: str, *parts: Part) -> Signal:
    return EventStored(Event("e", agent, f"root.{agent}" if agent != "user" else None, parts, "i"))


def said(agent: str, text: str) -> Signal:
    return stored(agent, TextPart(text))


def shown(*signals: Signal) -> tuple[Live, str]:
    out = io.StringIO()
    live = Live(out)
    for signal in signals:
        live.show(signal)
    return live, out.getvalue()


def test_agents_that_speak_at_the_same_time_are_shown_one_after_the_other() -> None:
    _, text = shown(
        says("a", "one "),
        says("b", "eins "),
        ToolStarted("c", "root.c", "1", "look", {}),
        says("a", "two"),
        says("c", "un"),
        says("b", "zwei"),
        said("b", "eins zwei"),
        said("a", "one two"),
        says("c", " deux"),
        said("c", "un deux"),
        TurnFinished("done", ""),
    )
    assert text == "a: one two\n  c calls look {}\nb: eins zwei\nc: un deux\n"


def test_who_speaks_twice_is_named_twice() -> None:
    _, text = shown(says("a", "x"), said("a", "x"), AgentFinished("a", "root.a"), says("a", "y"), said("a", "y"))
    assert text == "a: x\na: y\n"


def test_a_warning_breaks_a_line_and_the_speaker_is_named_again(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = shown(says("a", "x "), Warning("slow", "b"), says("a", "y"), said("a", "x y"))
    assert text == "a: x \na: y\n"
    assert capsys.readouterr().err == "warning: b: slow\n"


def test_a_turn_that_ends_in_the_middle_leaves_no_open_line() -> None:
    _, text = shown(says("a", "x"), says("b", "y"), TurnFinished("failed", ""))
    assert text == "a: x\nb: y\n"


def test_a_refused_hand_over_and_a_failed_tool() -> None:
    _, text = shown(
        stored("a", FunctionResponse("1", "transfer_to_agent", {"error": "no \x1b[2J"})),
        ToolFinished("a", "root.a", "2", "look", {"error": "x"}, True, "tools.py:3"),
    )
    assert text == '  a was refused to hand over: no \\x1b[2J\n  look failed at tools.py:3 {"error":"x"}\n'


STOPPED: list[tuple[list[Signal], str]] = [
    ([], "stopped: nothing of this turn is in the session"),
    ([said("user", "Hi")], "stopped: your message stays in the session"),
    (
        [said("user", "Hi"), says("a", "x"), said("a", "x")],
        "stopped: your message and 1 more event stay in the session",
    ),
    (
        [said("user", "Hi"), says("a", "x"), says("b", "y"), said("b", "y"), says("c", "z")],
        "stopped: your message and 1 more event stay in the session; the unfinished answer of `a`, `c` is dropped",
    ),
]


@pytest.mark.parametrize(("signals", "told"), STOPPED)
def test_what_is_kept_of_a_turn_that_was_stopped(signals: list[Signal], told: str) -> None:
    assert shown(*signals)[0].stopped() == told
