"""Thoughts and signatures on their way: from a stream into an event, through its JSON, and back to their provider."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook import wire
from rolebook.json import JsonObject
from rolebook.prompt.events import Event, FunctionCall, OtherPart, Part, TextPart, event_from_json, event_to_json
from rolebook.prompt.messages import Message
from rolebook.prompt.request import LlmRequest

THINKING: JsonObject = {"type": "thinking", "thinking": "hm", "signature": "s"}
SIGNED = OtherPart({"thought_signature": "c2ln"})
SIGNED_TEXT = OtherPart({"text": "", "thought_signature": "c2ln"})
FIRST, SECOND = FunctionCall("c1", "look", {"city": "NYC"}), FunctionCall("c2", "look", {"city": "Paris"})


def sent(provider: wire.Provider, model: str, *parts: Part) -> list[Any]:
    """The model's turn in the body, when these are the parts of the model's event."""
    messages = (Message("user", (TextPart("q"),)), Message("model", parts))
    payload = wire.body(LlmRequest(model, "", "", "", messages), provider).payload
    return list(payload["contents"][1]["parts"] if provider == "gemini" else payload["messages"][1]["content"])


def through_json(*parts: Part) -> Event:
    event = Event("e1", "a", None, parts)
    again = event_from_json(json.loads(json.dumps(event_to_json(event))))
    assert again == event
    return again


PARTS = st.one_of(
    st.builds(TextPart, st.text(max_size=3)),
    st.sampled_from([SIGNED, SIGNED_TEXT, OtherPart(THINKING), FIRST, SECOND]),
    st.sampled_from([OtherPart({"text": "hm", "thought": True, "thoughtSignature": "eA=="}), OtherPart({"x": 1})]),
)


@given(st.lists(PARTS, max_size=5))
def test_an_event_survives_its_json(parts: list[Part]) -> None:
    through_json(*parts)


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ({"function_call": {"id": "c1", "name": "t"}, "thought_signature": "s"}, [{"thought_signature": "s"}, "t"]),
        ({"function_call": {"id": "c1", "name": "t"}, "thoughtSignature": "s"}, [{"thought_signature": "s"}, "t"]),
        ({"text": "a", "thought_signature": "s"}, ["a", {"text": "", "thought_signature": "s"}]),
        ({"text": "", "thought_signature": "s"}, [{"text": "", "thought_signature": "s"}]),
        ({"thought_signature": "s"}, [{"thought_signature": "s"}]),
        ({"text": "", "thought": 1, "thought_signature": "s"}, [{"text": "", "thought": 1, "thought_signature": "s"}]),
    ],
)  # fmt: skip
def test_a_signature_as_google_adk_writes_it(written: JsonObject, parts: list[Any]) -> None:
    event = event_from_json({"id": 1, "author": "a", "parts": [written]})
    shown = [
        part.data if isinstance(part, OtherPart) else part.name if isinstance(part, FunctionCall) else part.text  # type: ignore[union-attr]
        for part in event.parts
    ]
    assert shown == parts


def test_gemini_gets_each_signature_with_the_call_that_it_came_with() -> None:
    event = through_json(FIRST, SIGNED, SECOND, SIGNED_TEXT)
    first, second, text = sent("gemini", "gemini-3-flash-preview", *event.parts)
    assert first["thoughtSignature"] == "skip_thought_signature_validator"
    assert (second["functionCall"]["id"], second["thoughtSignature"]) == ("c2", "c2ln")
    assert text == {"text": "", "thoughtSignature": "c2ln"}


def test_anthropic_gets_its_thoughts_in_their_places() -> None:
    event = through_json(OtherPart(THINKING), FIRST, OtherPart(THINKING), TextPart("I look."), SECOND)
    kinds = [block["type"] for block in sent("anthropic", "claude-opus-4-8", *event.parts)]
    assert kinds == ["thinking", "text", "tool_use", "thinking", "tool_use"]


def test_anthropic_takes_no_thought_as_the_last_block() -> None:
    assert sent("anthropic", "claude-opus-4-8", TextPart("a"), OtherPart(THINKING)) == [{"type": "text", "text": "a"}]
    only = sent("anthropic", "claude-opus-4-8", OtherPart(THINKING))
    assert only == [{"type": "text", "text": "(omitted)"}]


OTHERS: list[tuple[wire.Provider, str, OtherPart]] = [
    ("openai", "gpt-4o", SIGNED_TEXT),
    ("openai", "gpt-4o", OtherPart(THINKING)),
    ("anthropic", "claude-opus-4-8", SIGNED_TEXT),
    ("anthropic", "claude-opus-4-8", SIGNED),
    ("gemini", "gemini-2.5-pro", OtherPart(THINKING)),
]


@pytest.mark.parametrize(("provider", "model", "thought"), OTHERS)
def test_nobody_else_gets_a_thought_and_nobody_is_warned(
    provider: wire.Provider, model: str, thought: OtherPart
) -> None:
    messages = (Message("user", (TextPart("q"),)), Message("model", (thought, TextPart("a"))))
    made = wire.body(LlmRequest(model, "", "", "", messages), provider)
    text = wire.encode(made.payload).decode()
    assert "ignature" not in text and "thinking" not in text
    assert made.warnings == ()


def test_another_agents_signature_is_no_word_of_the_user() -> None:
    """Another agent's parts are told as the user's; its thoughts aren't."""
    messages = (Message("user", (TextPart("[b] said: a"), SIGNED_TEXT)),)
    payload = wire.body(LlmRequest("gemini-3-pro", "", "", "", messages), "gemini").payload
    assert payload["contents"] == [{"role": "user", "parts": [{"text": "[b] said: a"}]}]
