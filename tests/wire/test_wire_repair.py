"""The turns that messages are repaired to: examples in a short notation, then what holds for every history.

A turn is written as its role and parts: `call:ID`, `got:ID`, anything else is text. The tool is called `t` throughout.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart
from rolebook.prompt.messages import Message
from rolebook.wire import Turn, repaired
from rolebook.wire.repair import INTERRUPTED


def part(written: str) -> Part:
    kind, colon, id = written.partition(":")
    if colon and kind == "call":
        return FunctionCall(id, "t", {})
    if colon and kind == "got":
        return FunctionResponse(id, "t", f"result {id}")
    return TextPart(written)


def message(role: str, *parts: str) -> Message:
    return Message("model" if role == "model" else "user", tuple(part(written) for written in parts))


def written(turn: Turn) -> tuple[str, ...]:
    def write(part: Part) -> str:
        match part:
            case FunctionCall(id):
                return f"call:{id}"
            case FunctionResponse(id, _, response):
                return f"{response}:{id}" if response == INTERRUPTED else f"got:{id}"
            case TextPart(text):
                return text
        return "other"

    return (turn.role, *(write(part) for part in turn.parts))


USER, MODEL = "user", "model"

CASES: dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]] = {
    "no messages": ([], [(USER, "(continue)")]),
    "nothing but blank text": ([(USER, " \n")], [(USER, "(continue)")]),
    "neighbours of one role merge": (
        [(USER, "a"), (USER, "b"), (MODEL, "c"), (MODEL, "d"), (USER, "e")],
        [(USER, "a", "b"), (MODEL, "c", "d"), (USER, "e")],
    ),
    "a blank text between two turns doesn't part them": (
        [(USER, "a"), (MODEL, ""), (USER, "b")],
        [(USER, "a", "b")],
    ),
    "the user has the first and the last word": (
        [(MODEL, "a")],
        [(USER, "(earlier conversation omitted)"), (MODEL, "a"), (USER, "(continue)")],
    ),
    "parallel calls are answered in one turn, in the order of the calls": (
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "got:2"), (USER, "got:1")],
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "got:1", "got:2")],
    ),
    "calls stored one by one are parallel calls": (
        [(USER, "q"), (MODEL, "call:1"), (MODEL, "call:2"), (USER, "got:1"), (USER, "got:2")],
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "got:1", "got:2")],
    ),
    "what stood between call and last response moves behind it": (
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "got:1"), (USER, "wait"), (USER, "got:2"), (USER, "go on")],
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "got:1", "got:2", "wait", "go on")],
    ),
    "a model's turn between call and response moves too": (
        [
            (USER, "q"),
            (MODEL, "call:1"),
            (USER, "wait"),
            (MODEL, "I wait"),
            (USER, "got:1"),
            (MODEL, "done"),
            (USER, "ok"),
        ],
        [(USER, "q"), (MODEL, "call:1"), (USER, "got:1", "wait"), (MODEL, "I wait", "done"), (USER, "ok")],
    ),
    "text behind a call goes before it": (
        [(USER, "q"), (MODEL, "a", "call:1", "b"), (USER, "got:1")],
        [(USER, "q"), (MODEL, "a", "b", "call:1"), (USER, "got:1")],
    ),
    "a call without a response was interrupted": (
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "got:2"), (USER, "stop")],
        [(USER, "q"), (MODEL, "call:1", "call:2"), (USER, "interrupted:1", "got:2", "stop")],
    ),
    "an interrupted call at the end needs no other last word": (
        [(USER, "q"), (MODEL, "call:1")],
        [(USER, "q"), (MODEL, "call:1"), (USER, "interrupted:1")],
    ),
    "a response without its call is told": (
        [(USER, "got:1"), (MODEL, "a"), (USER, "b")],
        [(USER, "(tool `t` returned: result 1)"), (MODEL, "a"), (USER, "b")],
    ),
    "a response before its call is not its response": (
        [(USER, "got:1"), (MODEL, "call:1"), (USER, "a")],
        [(USER, "(tool `t` returned: result 1)"), (MODEL, "call:1"), (USER, "interrupted:1", "a")],
    ),
    "a second response to one call is told": (
        [(USER, "q"), (MODEL, "call:1"), (USER, "got:1"), (USER, "got:1")],
        [(USER, "q"), (MODEL, "call:1"), (USER, "got:1", "(tool `t` returned: result 1)")],
    ),
    "empty ids pair by order and get ids": (
        [(USER, "q"), (MODEL, "call:", "call:"), (USER, "got:", "got:")],
        [(USER, "q"), (MODEL, "call:call_1", "call:call_2"), (USER, "got:call_1", "got:call_2")],
    ),
    "ids counted anew in every answer stay apart": (
        [(USER, "q"), (MODEL, "call:0"), (USER, "got:0"), (MODEL, "call:0"), (USER, "got:0")],
        [(USER, "q"), (MODEL, "call:0"), (USER, "got:0"), (MODEL, "call:call_2"), (USER, "got:call_2")],
    ),
    "an interrupted call doesn't take the response of a later one with its id": (
        [(USER, "q"), (MODEL, "call:0"), (USER, "again"), (MODEL, "call:0"), (USER, "got:0")],
        [
            (USER, "q"),
            (MODEL, "call:0"),
            (USER, "interrupted:0", "again"),
            (MODEL, "call:call_2"),
            (USER, "got:call_2"),
        ],
    ),
    "an id that Anthropic refuses is replaced on both sides": (
        [(USER, "q"), (MODEL, "call:a.b|c"), (USER, "got:a.b|c")],
        [(USER, "q"), (MODEL, "call:call_1"), (USER, "got:call_1")],
    ),
    "a call in a user message is the model's": (
        [(USER, "q", "call:1", "got:1")],
        [(USER, "q"), (MODEL, "call:1"), (USER, "got:1")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_repaired(case: str) -> None:
    messages, turns = CASES[case]
    assert [written(turn) for turn in repaired([message(*line) for line in messages])] == turns


def test_equal_empty_ids_pair_by_name_before_order() -> None:
    turns = repaired(
        [
            message("user", "q"),
            Message("model", (FunctionCall("", "a", {}), FunctionCall("", "b", {}))),
            Message("user", (FunctionResponse("", "b", 2), FunctionResponse("", "a", 1))),
        ]
    )
    assert turns[-1].parts == (FunctionResponse("call_1", "a", 1), FunctionResponse("call_2", "b", 2))


PARTS = st.one_of(
    st.sampled_from(["", " ", "a", "b"]).map(TextPart),
    st.builds(FunctionCall, st.sampled_from(["", "1", "2", "call_1", "x.y"]), st.sampled_from("tu"), st.just({})),
    st.builds(
        FunctionResponse, st.sampled_from(["", "1", "2", "call_1", "x.y"]), st.sampled_from("tu"), st.integers(0, 3)
    ),
    st.just(OtherPart({"inline_data": {"mime_type": "image/png", "data": "AA=="}})),
)
HISTORIES = st.lists(
    st.builds(Message, st.sampled_from(["user", "model"]), st.lists(PARTS, max_size=4).map(tuple)), max_size=12
)


@given(HISTORIES)
def test_roles_take_turns_and_the_user_begins_and_ends(messages: list[Message]) -> None:
    turns = repaired(messages)
    assert [turn.role for turn in turns] == ["user" if index % 2 == 0 else "model" for index in range(len(turns))]
    assert turns[-1].role == "user"
    assert all(turn.parts for turn in turns)


@given(HISTORIES)
def test_every_call_is_answered_at_the_start_of_the_next_turn_and_nothing_else_is(messages: list[Message]) -> None:
    turns = repaired(messages)
    ids = [part.id for turn in turns for part in turn.parts if isinstance(part, FunctionCall)]
    assert len(set(ids)) == len(ids) and all(ids)
    for turn, following in zip(turns, (*turns[1:], Turn("user", ())), strict=True):
        calls = [(part.id, part.name) for part in turn.parts if isinstance(part, FunctionCall)]
        answers = [(part.id, part.name) for part in following.parts if isinstance(part, FunctionResponse)]
        assert answers == calls
        assert all(isinstance(part, FunctionResponse) for part in following.parts[: len(calls)])
    assert not any(isinstance(part, FunctionResponse) for part in turns[0].parts)


@given(HISTORIES)
def test_a_repaired_history_is_repaired_by_itself(messages: list[Message]) -> None:
    turns = repaired(messages)
    assert repaired([Message(turn.role, turn.parts) for turn in turns]) == turns


@given(HISTORIES)
def test_no_result_and_no_picture_is_lost(messages: list[Message]) -> None:
    turns = repaired(messages)
    kept = [part for turn in turns for part in turn.parts]
    for kind in (FunctionCall, OtherPart):
        given_parts = [part for message in messages for part in message.parts if isinstance(part, kind)]
        assert sum(isinstance(part, kind) for part in kept) == len(given_parts)
    results = sum(isinstance(part, FunctionResponse) for message in messages for part in message.parts)
    answered = sum(isinstance(part, FunctionResponse) and part.response != INTERRUPTED for part in kept)
    told = sum(isinstance(part, TextPart) and part.text.startswith("(tool ") for part in kept)
    assert answered + told == results


@given(HISTORIES, HISTORIES)
def test_a_longer_history_keeps_the_turns_before_the_last_two_it_had(first: list[Message], more: list[Message]) -> None:
    """Prefix caching rests on it; an open call may still be answered, so only histories without one are held to it."""
    turns = repaired(first)
    if any(
        isinstance(part, FunctionResponse) and part.response == INTERRUPTED for turn in turns for part in turn.parts
    ):
        return
    settled = turns[:-2]
    assert repaired([*first, *more])[: len(settled)] == settled
