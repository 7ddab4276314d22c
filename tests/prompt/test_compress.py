"""What stays of a conversation: the exact cases, then what holds for every strategy and every list of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from cases import load
from hypothesis import given
from hypothesis import strategies as st

from rolebook.definition.compressors import Compressor, SlidingWindow, Summarize, TokenBudget, Truncate
from rolebook.definition.lower import lower
from rolebook.json import JsonObject, compact
from rolebook.prompt.compress import Compressed, SummaryNeeded, compress, summary_request, summary_text, units
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart, parts_from_json
from rolebook.prompt.messages import Message
from rolebook.record import replace
from rolebook.syntax.yaml import parse
from rolebook.wire import repaired

CASES = load("compression")


def one_per_word(text: str) -> int:
    return len(text.split())


def shortened(messages: list[Message], *compressors: Compressor, instruction: str = "") -> Compressed:
    return compress(messages, compressors, instruction=instruction, count=one_per_word)


def strategies_of(data: Any) -> tuple[Compressor, ...]:
    """The strategies as a definition has them, so that the cases hold for what users write."""
    source = "name: a\ncontext_compressor: " + compact(data)
    return lower(parse(source).root, "/agents/root_agent.yaml").agent.context_compressor


def conversation(name: str) -> list[Message]:
    return [
        Message(
            given["role"],
            tuple(made for part in given["parts"] for made in parts_from_json(part)),
            index,
            given["invocation"],
        )
        for index, given in enumerate(CASES["conversations"][name])
    ]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{index}-{case['conversation']}") for index, case in enumerate(CASES["cases"])]
)
def test_the_cases(case: JsonObject) -> None:
    messages = conversation(str(case["conversation"]))
    done = shortened(messages, *strategies_of(case["strategy"]), instruction=str(case.get("system", "")))
    assert [message.event for message in done.messages] == case["kept"]
    assert done.summary is None


# A conversation in a short notation: `u` and `m` are texts, `c1` calls, `r1` is a response, each of its turn.


def written(line: str) -> list[Message]:
    messages = []
    for index, (turn, word) in enumerate(part.split(".") for part in line.split()):
        parts: list[Part] = [TextPart("x")]
        if word[0] == "c":
            parts = [FunctionCall(id, "t", {}) for id in word[1:].split(",")]
        elif word[0] == "r":
            parts = [FunctionResponse(word[1:], "t", {})]
        messages.append(
            Message("model" if word[0] in "mc" else "user", tuple(parts), index, int(turn), summary=word == "s")
        )
    return messages


UNITS: list[tuple[str, str, list[int]]] = [
    ("texts are units of their own", "1.u 1.m", [0, 1]),
    ("a call and its response", "1.u 1.ca 1.ra 1.m", [0, 1, 3]),
    ("what stands between belongs to the unit", "1.ca 1.u 1.m 1.ra 1.m", [0, 4]),
    ("parallel calls, up to the last response", "1.ca,b 1.rb 1.u 1.ra 1.m", [0, 4]),
    ("calls that overlap are one unit", "1.ca 1.cb 1.ra 1.rb 1.m", [0, 4]),
    ("calls inside of each other are one unit", "1.ca 1.cb 1.rb 1.ra 1.m", [0, 4]),
    ("a call without a response stands alone", "1.ca 1.u 1.m", [0, 1, 2]),
    ("a response without a call stands alone", "1.ra 1.ca 1.u", [0, 1, 2]),
    ("ids that are used again", "1.c0 1.r0 2.c0 2.r0", [0, 2]),
    ("an interrupted call doesn't take a later one's response", "1.c0 1.u 2.c0 2.r0", [0, 1, 2]),
    ("without ids, by name", "1.c 1.r 1.c 1.r", [0, 2]),
]


@pytest.mark.parametrize(("line", "starts"), [pytest.param(*rest, id=name) for name, *rest in UNITS])
def test_units(line: str, starts: list[int]) -> None:
    messages = written(line)
    found = units(messages)
    assert [unit.start for unit in found] == starts
    assert [unit.end for unit in found] == [*starts[1:], len(messages)]


def test_no_messages_are_no_units() -> None:
    assert units([]) == []
    assert shortened([], Truncate(), SlidingWindow(), Summarize(), TokenBudget(0)) == Compressed(())


WINDOWS: list[tuple[str, str, SlidingWindow, int]] = [
    ("a unit belongs to the turn that it ends in", "1.u 1.ca 2.u 2.ra 2.m", SlidingWindow(1), 1),
    ("a summary is older than all turns, though it was made late", "3.s 2.u 2.m 3.u", SlidingWindow(2), 1),
    ("a summary stays where the window reaches it", "3.s 2.u 2.m 3.u", SlidingWindow(3), 0),
]


@pytest.mark.parametrize(("line", "window", "start"), [pytest.param(*rest, id=name) for name, *rest in WINDOWS])
def test_windows(line: str, window: SlidingWindow, start: int) -> None:
    messages = written(line)
    assert list(shortened(messages, window).messages) == messages[start:]


def test_messages_that_do_not_tell_their_turn_are_one_turn() -> None:
    messages = [replace(message, invocation=None) for message in written("1.u 1.m 2.u 2.m 3.u")]
    assert list(shortened(messages, SlidingWindow(1)).messages) == messages


def test_older_messages_are_to_be_summarized_and_a_hole_stands_for_them() -> None:
    messages = written("1.u 1.ca 1.ra 1.m 2.u 2.m 3.u")
    strategy = Summarize(keep_recent=4)
    done = shortened(messages, strategy)
    assert done.summary == SummaryNeeded(tuple(messages[:3]), strategy)
    hole, *rest = done.messages
    assert rest == messages[3:]
    assert (hole.role, hole.hole, hole.event) == ("user", "summary of 3 messages", None)
    assert hole.parts == (TextPart("⟨summary of 3 messages: known at run⟩"),)


@pytest.mark.parametrize(
    ("line", "summarized"),
    [
        ("1.u 1.m", 0),
        ("1.s 1.m 1.u", 0),
        ("1.s 1.u 1.m 1.u", 2),
        ("1.u 1.ca 1.ra", 1),
        ("1.ca 1.u 1.ra", 0),
    ],
)
def test_what_is_summarized(line: str, summarized: int) -> None:
    done = shortened(written(line), Summarize(keep_recent=2))
    assert (len(done.summary.messages) if done.summary is not None else 0) == summarized


def test_strategies_behind_a_summary_see_its_hole_and_pay_nothing_for_it() -> None:
    messages = written("1.u 1.m 2.u 2.m 3.u")
    done = shortened(messages, Summarize(keep_recent=3), TokenBudget(1, keep_recent=1, chars_per_token=3))
    assert list(done.messages) == messages[4:] and done.summary is not None
    paid = shortened(messages, Summarize(keep_recent=3), TokenBudget(3, keep_recent=1, chars_per_token=1))
    assert paid.messages[0].hole and list(paid.messages[1:]) == messages[2:]


def test_of_two_summaries_the_first_is_made_first() -> None:
    messages = written("1.u 1.m 2.u 2.m 3.u")
    done = shortened(messages, Summarize(keep_recent=3), Summarize(keep_recent=2))
    assert done.summary is not None and done.summary.messages == tuple(messages[:2])
    assert [bool(message.hole) for message in done.messages] == [True, False, False]


def test_the_models_own_tokenizer_counts_where_that_is_asked_for() -> None:
    messages = [Message("user", (TextPart(text),)) for text in ("one two three", "four", "five six")]
    strategy = TokenBudget(4, keep_recent=0, chars_per_token=None)
    assert list(shortened(messages, strategy).messages) == messages[1:]
    assert list(shortened(messages, strategy, instruction="two words").messages) == messages[2:]


def test_a_picture_costs_the_same_whatever_its_size() -> None:
    picture = OtherPart({"inline_data": {"mime_type": "image/png", "data": "A" * 100_000}})
    messages = [Message("user", (TextPart("x" * 4),)), Message("user", (picture,)), Message("user", (TextPart("x"),))]
    assert list(shortened(messages, TokenBudget(260, keep_recent=0)).messages) == messages
    assert list(shortened(messages, TokenBudget(258, keep_recent=0)).messages) == messages[2:]


def test_of_a_thought_its_text_counts_and_its_signature_does_not() -> None:
    thought = OtherPart({"type": "thinking", "thinking": "12345678", "signature": "A" * 1_000})
    messages = [Message("model", (thought,)), Message("user", (TextPart("x"),))]
    assert list(shortened(messages, TokenBudget(3, keep_recent=0)).messages) == messages
    assert list(shortened(messages, TokenBudget(2, keep_recent=0)).messages) == messages[1:]


def test_a_summary_is_asked_for_with_the_messages_told_in_one_text() -> None:
    messages = (
        Message("user", (TextPart(summary_text(" Ann wants tea. ")),), summary=True),
        Message("user", (TextPart("Is it ready?"), OtherPart({"inline_data": {}}))),
        Message("model", (OtherPart({"text": "Hm", "thought": True}), FunctionCall("1", "look", {"q": "größe"}))),
        Message("user", (FunctionResponse("1", "look", {"ready": True}), FunctionResponse("2", "say", "plain"))),
        Message("model", (TextPart("Yes."),)),
    )
    request = summary_request(SummaryNeeded(messages, Summarize(summary_instruction="Be brief.")), "m")
    (told,) = request.messages[0].parts
    assert (request.model, request.instruction, request.tools) == ("m", "Be brief.", ())
    assert isinstance(told, TextPart) and told.text.splitlines() == [
        "Summary of the earlier conversation:",
        "Ann wants tea.",
        "User: Is it ready?",
        "User: (a picture or file)",
        'Agent called tool `look` with parameters: {"q":"größe"}',
        'Tool `look` returned: {"ready":true}',
        "Tool `say` returned: plain",
        "Agent: Yes.",
    ]
    assert "Summarize it for the agent" in summary_request(SummaryNeeded(messages, Summarize()), None).instruction


# What holds for every conversation.

IDS = st.sampled_from(["", "a", "b", "c"])
PARTS = st.one_of(
    st.text("xy 変🙂", max_size=12).map(TextPart),
    st.builds(FunctionCall, IDS, st.sampled_from("tu"), st.just({})),
    st.builds(FunctionResponse, IDS, st.sampled_from("tu"), st.integers(0, 3)),
)
COMPRESSORS = st.one_of(
    st.builds(Truncate, st.integers(1, 8), st.integers(0, 6)),
    st.builds(SlidingWindow, st.integers(1, 4), st.integers(0, 6)),
    st.builds(
        TokenBudget,
        st.integers(0, 30),
        st.integers(0, 4),
        st.sampled_from([1, 2.5, 4, None]),
        st.integers(0, 6),
    ),
    st.builds(Summarize, st.integers(0, 6), st.none(), st.none(), st.integers(0, 6)),
)
DROPPING = COMPRESSORS.filter(lambda compressor: not isinstance(compressor, Summarize))


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Calls may lack their response and the reverse, ids may be empty or used again, a summary may stand first."""
    turn, messages = 1, []
    for index in range(draw(st.integers(0, 14))):
        turn += draw(st.integers(0, 3)) == 0
        parts = tuple(draw(st.lists(PARTS, min_size=1, max_size=3)))
        role = "user" if any(isinstance(part, FunctionResponse) for part in parts) else draw(ROLES)
        messages.append(Message(role, parts, index, draw(st.sampled_from([turn, turn, turn, None]))))
    if messages and draw(st.booleans()):
        messages[0] = Message("user", (TextPart(summary_text("x")),), 0, turn, summary=True)
    return messages


ROLES: Any = st.sampled_from(["user", "model"])


@given(conversations(), st.lists(COMPRESSORS, max_size=3))
def test_the_newest_messages_stay_in_order_behind_at_most_one_hole(
    messages: list[Message], compressors: list[Compressor]
) -> None:
    kept = [message for message in shortened(messages, *compressors).messages if message.hole is None]
    assert kept == messages[len(messages) - len(kept) :]
    assert [bool(message.hole) for message in shortened(messages, *compressors).messages[1:]].count(True) == 0


@given(conversations(), st.lists(COMPRESSORS, max_size=3))
def test_whole_units_stay_and_the_newest_always(messages: list[Message], compressors: list[Compressor]) -> None:
    kept = [message.event for message in shortened(messages, *compressors).messages if message.hole is None]
    found = units(messages)
    assert not messages or kept[0] in [unit.start for unit in found]
    assert not messages or len(kept) >= found[-1].end - found[-1].start


@given(conversations(), st.lists(DROPPING, max_size=3))
def test_to_compress_again_changes_nothing(messages: list[Message], compressors: list[Compressor]) -> None:
    once = shortened(messages, *compressors)
    assert shortened(list(once.messages), *compressors) == once


@given(conversations(), st.lists(COMPRESSORS, max_size=3))
def test_summaries_come_to_an_end(messages: list[Message], compressors: list[Compressor]) -> None:
    """Each one that is made leaves less to summarize, and then nothing changes any more."""
    for _ in range(len(messages) + 1):
        needed = shortened(messages, *compressors).summary
        if needed is None:
            break
        start = next(index for index, message in enumerate(messages) if message is needed.messages[0])
        end = start + len(needed.messages)
        assert needed.messages == tuple(messages[start:end])
        made = Message("user", (TextPart(summary_text("short")),), 0, 99, summary=True)
        messages = [*messages[:start], made, *messages[end:]]
    assert shortened(messages, *compressors).summary is None


def chars(message: Message) -> int:
    return sum(
        len(part.text) if isinstance(part, TextPart) else len(part.name) + len(compact(payload(part)))
        for part in message.parts
        if isinstance(part, TextPart | FunctionCall | FunctionResponse)
    )


def payload(part: FunctionCall | FunctionResponse) -> Any:
    return part.args if isinstance(part, FunctionCall) else part.response


@given(conversations(), st.integers(0, 40), st.integers(0, 4), st.text("s", max_size=9), st.lists(DROPPING, max_size=2))
def test_a_budget_behind_other_strategies_is_kept_to_unless_the_kept_minimum_breaks_it(
    messages: list[Message], budget: int, keep_recent: int, instruction: str, inner: list[Compressor]
) -> None:
    strategy = TokenBudget(budget, keep_recent, chars_per_token=1)
    kept = list(shortened(messages, *inner, strategy, instruction=instruction).messages)
    first = units(kept)[0] if kept else None
    minimum = first is None or len(kept) - first.end < max(keep_recent, 1)
    assert minimum or len(instruction) + sum(map(chars, kept)) <= budget


@given(conversations(), st.integers(0, 40), st.integers(0, 4))
def test_a_budget_is_used_up_to_the_first_unit_that_does_not_fit(
    messages: list[Message], budget: int, keep_recent: int
) -> None:
    kept = list(shortened(messages, TokenBudget(budget, keep_recent, chars_per_token=1)).messages)
    dropped = messages[: len(messages) - len(kept)]
    if dropped:
        next_unit = units(messages)[len(units(dropped)) - 1]
        assert sum(map(chars, [*kept, *messages[next_unit.start : next_unit.end]])) > budget


@given(conversations(), st.lists(COMPRESSORS, max_size=3))
def test_what_stays_obeys_the_providers_turn_rules_once_repaired(
    messages: list[Message], compressors: list[Compressor]
) -> None:
    turns = repaired(shortened(messages, *compressors).messages)
    assert [turn.role for turn in turns] == ["user" if index % 2 == 0 else "model" for index in range(len(turns))]
    assert turns[-1].role == "user"
    for turn, following in pairwise(turns):
        calls = [part.id for part in turn.parts if isinstance(part, FunctionCall)]
        assert [part.id for part in following.parts if isinstance(part, FunctionResponse)] == calls


@given(conversations(), st.lists(DROPPING, max_size=3))
def test_no_strategy_makes_a_call_lose_its_response(messages: list[Message], compressors: list[Compressor]) -> None:
    """What repair has to mend in what stays, an interrupted call or a stray response, was so before."""

    def mended(given: list[Message]) -> list[Any]:
        parts = [part for turn in repaired(given) for part in turn.parts]
        return [
            part
            for part in parts
            if (isinstance(part, FunctionResponse) and part.response == "interrupted")
            or (isinstance(part, TextPart) and part.text.startswith("(tool `"))
        ]

    kept = list(shortened(messages, *compressors).messages)
    dropped = messages[: len(messages) - len(kept)]
    assert len(mended(kept)) + len(mended(dropped)) == len(mended(messages))
