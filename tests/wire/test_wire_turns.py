"""Whatever is left of a conversation, each provider gets a body that keeps to its schema and its rules of turns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schemas import violations
from turn_rules import broken_rules

from rolebook import wire
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart
from rolebook.prompt.messages import Message
from rolebook.prompt.request import LlmRequest
from rolebook.wire import gemini

MODELS: dict[wire.Provider, str] = {
    "gemini": "gemini-3.5-flash",
    "anthropic": "claude-opus-4-8",
    "openai": "openai/gpt-4.1-mini",
}
ASKED = LlmRequest("gemini-3.5-flash", "S\n\nD", "S", "D", ())

TEXT = st.sampled_from(["hi", "", " ", "\n", "ok"]).map(TextPart)
IMAGE = st.just(OtherPart({"inline_data": {"mime_type": "image/png", "data": "AA=="}}))
THOUGHT = st.sampled_from(
    [
        OtherPart({"type": "thinking", "thinking": "hm", "signature": "s"}),
        OtherPart({"thought_signature": "c2ln"}),
        OtherPart({"text": "", "thought_signature": "c2ln"}),
    ]
)
IDS = st.sampled_from(["a", "b", "c", "", "not portable!"])
CALL = st.builds(FunctionCall, IDS, st.sampled_from(["t", "u"]), st.just({}))
RESPONSE = st.builds(FunctionResponse, IDS, st.sampled_from(["t", "u"]), st.sampled_from(["", "r", {"x": 1}, None]))


@st.composite
def tool_units(draw: st.DrawFn) -> list[Message]:
    """Parallel calls and their responses: in one message or each in its own, in any order, with words between them."""
    ids = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True))
    said: list[Part] = [*draw(st.lists(st.one_of(THOUGHT, TEXT), max_size=2))]
    for id in ids:
        said += [*draw(st.lists(THOUGHT, max_size=1)), FunctionCall(id, "t", {"n": 1})]
    responses: list[Part] = [FunctionResponse(id, "t", "r") for id in draw(st.permutations(ids))]
    if draw(st.booleans()):
        return [Message("model", tuple(said)), Message("user", tuple(responses))]
    between = draw(st.lists(TEXT, max_size=1))
    return [
        Message("model", tuple(said)),
        *(Message("user", (text,)) for text in between),
        *(Message("user", (response,)) for response in responses),
    ]


UNIT = st.one_of(
    st.lists(st.one_of(TEXT, IMAGE), min_size=1, max_size=2).map(lambda parts: [Message("user", tuple(parts))]),
    st.lists(st.one_of(TEXT, THOUGHT), min_size=1, max_size=2).map(lambda parts: [Message("model", tuple(parts))]),
    tool_units(),
)
PART = st.one_of(TEXT, IMAGE, THOUGHT, CALL, RESPONSE)
LOOSE = st.lists(
    st.builds(Message, st.sampled_from(["user", "model"]), st.lists(PART, max_size=3).map(tuple)), max_size=6
)


def check(messages: tuple[Message, ...]) -> None:
    for provider, model in MODELS.items():
        request = LlmRequest(model, "S\n\nD", "S", "D", messages)
        payload: Any = json.loads(wire.encode(wire.body(request, provider).payload))
        assert violations(provider, payload) == []
        assert broken_rules(provider, payload) == []
    cached = gemini.cached_body(LlmRequest(MODELS["gemini"], "S\n\nD", "S", "D", messages), "cachedContents/1").payload
    assert violations("gemini", json.loads(wire.encode(cached))) == []
    assert broken_rules("gemini", cached) == []
    for content in cached["contents"]:
        calls = [part for part in content["parts"] if "functionCall" in part]
        assert not calls or calls[0]["thoughtSignature"]


@settings(max_examples=60)
@given(st.lists(UNIT, max_size=6), st.data())
def test_what_a_compressor_leaves_of_a_conversation(units: list[list[Message]], data: st.DataObject) -> None:
    """Any units of it, as all compressors keep a call and its responses together; prefixes and suffixes among them."""
    check(tuple(message for unit in units for message in unit))
    kept = data.draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units)))
    check(tuple(message for unit, stays in zip(units, kept, strict=True) if stays for message in unit))
    cut = data.draw(st.integers(0, len(units)))
    check(tuple(message for unit in units[:cut] for message in unit))
    check(tuple(message for unit in units[cut:] for message in unit))


@settings(max_examples=60)
@given(LOOSE)
def test_any_messages_whatever(messages: list[Message]) -> None:
    check(tuple(messages))


SIMPLE: list[tuple[wire.Provider, list[dict[str, Any]], str]] = [
    ("gemini", [{"role": "model", "parts": [{"text": "a"}]}], "begin with the user"),
    ("gemini", [{"role": "user", "parts": [{"text": "a"}]}] * 2, "one role"),
    ("gemini", [{"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "t"}}]}], "don't answer"),
    ("anthropic", [{"role": "user", "content": [{"type": "text", "text": " "}]}], "blank"),
    ("anthropic", [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}], "don't answer"),
    (
        "anthropic",
        [
            {"role": "user", "content": [{"type": "text", "text": "a"}]},
            {"role": "assistant", "content": [{"type": "thinking"}]},
        ],
        "is a thought",
    ),
    ("openai", [{"role": "tool", "tool_call_id": "1"}], "answers no call"),
    (
        "openai",
        [{"role": "assistant", "tool_calls": [{"id": "1"}]}, {"role": "user", "content": "a"}],
        "no response right behind",
    ),
]


@pytest.mark.parametrize(("provider", "turns", "problem"), SIMPLE)
def test_the_rules_themselves_find_what_they_are_for(
    provider: wire.Provider, turns: list[dict[str, Any]], problem: str
) -> None:
    told = broken_rules(provider, {"contents" if provider == "gemini" else "messages": turns})
    assert any(problem in rule for rule in told)
