"""Streams of Gemini and Anthropic to events: the cases of `tests/data/wire/streams`, wherever the network cuts them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook import wire
from rolebook.json import compact
from rolebook.wire.stream import Finish, KeptPart, StreamError, StreamEvent, TextDelta, ToolCall, Usage

STREAMS = Path(__file__).parents[1] / "data" / "wire" / "streams"
PROVIDERS: tuple[wire.Provider, ...] = ("gemini", "anthropic")


def _bytes(provider: wire.Provider, case: dict[str, Any]) -> bytes:
    """The case as its provider frames it: Anthropic names its events, Google ends lines with CR LF."""
    if "raw" in case:
        return str(case["raw"]).encode()
    if provider == "gemini":
        return b"".join(f"data: {compact(chunk)}\r\n\r\n".encode() for chunk in case["chunks"])
    return b"".join(f"event: {chunk['type']}\ndata: {compact(chunk)}\n\n".encode() for chunk in case["chunks"])


def _event(told: dict[str, Any]) -> StreamEvent:
    match told:
        case {"text": text}:
            return TextDelta(text)
        case {"call": call}:
            return ToolCall(**call)
        case {"kept": part}:
            return KeptPart(part)
        case {"usage": counts}:
            return Usage(*counts)
        case {"finish": reason, **more}:
            return Finish(reason, **more)
        case {"error": message, **more}:
            return StreamError(message, **more)
    raise AssertionError(told)


CASES = [
    pytest.param(provider, _bytes(provider, case), [_event(told) for told in case["events"]], id=case["case"])
    for provider in PROVIDERS
    for case in json.loads((STREAMS / f"{provider}.json").read_text("utf-8"))["cases"]
]
RECORDED = [(case.values[0], case.values[1]) for case in CASES]


def read(provider: wire.Provider, *chunks: bytes) -> list[StreamEvent]:
    answer = wire.answer(provider)
    events = [event for part in chunks for event in answer.feed(part)]
    return [*events, *answer.close()]


@pytest.mark.parametrize(("provider", "data", "expected"), CASES)
def test_events(provider: wire.Provider, data: bytes, expected: list[StreamEvent]) -> None:
    assert read(provider, data) == expected


@pytest.mark.parametrize(("provider", "data", "expected"), CASES)
def test_any_cut_gives_the_same_events(provider: wire.Provider, data: bytes, expected: list[StreamEvent]) -> None:
    assert read(provider, *(data[index : index + 1] for index in range(len(data)))) == expected
    for cut in range(len(data)):
        assert read(provider, data[:cut], data[cut:]) == expected


@given(st.sampled_from(RECORDED), st.lists(st.integers(0, 4_000), max_size=8))
def test_any_cuts_give_the_same_events(recorded: tuple[wire.Provider, bytes], places: list[int]) -> None:
    provider, data = recorded
    cuts = sorted({0, *(place % (len(data) + 1) for place in places), len(data)})
    chunks = [data[start:end] for start, end in itertools.pairwise(cuts)]
    assert read(provider, *chunks) == read(provider, data)


@given(st.sampled_from(RECORDED), st.integers(0, 4_000))
def test_a_stream_that_breaks_off_ends_in_an_error_or_was_whole(
    recorded: tuple[wire.Provider, bytes], place: int
) -> None:
    provider, data = recorded
    *events, last = read(provider, data[: place % (len(data) + 1)])
    whole = read(provider, data)
    said = [event for event in events if not isinstance(event, Usage)]
    assert isinstance(last, Finish | StreamError)
    assert said == [event for event in whole if not isinstance(event, Usage)][: len(said)]
    if isinstance(last, StreamError) and last != whole[-1]:
        assert last.message.startswith(("the stream ended", "the stream holds", "the answer is no event stream"))
        assert not any(isinstance(event, ToolCall) for event in events)


FIELDS = [
    *("type", "index", "candidates", "content", "parts", "text", "functionCall", "name", "args", "id", "thought"),
    *("thoughtSignature", "finishReason", "promptFeedback", "blockReason", "usageMetadata", "promptTokenCount"),
    *("content_block", "delta", "partial_json", "input", "message", "usage", "stop_reason", "thinking", "signature"),
    *("error", "code", "status", "details", "retryDelay"),
]
WORDS = [
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "error"),
    *("message_stop", "tool_use", "text", "text_delta", "input_json_delta", "thinking", "refusal", "STOP", "SAFETY"),
    *("9999999999999999s", "infs", "[DONE]"),
]
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS), st.text(max_size=4)),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(st.sampled_from(FIELDS), below, max_size=4)),
    max_leaves=20,
)
CHUNKS = st.lists(JSON.map(lambda value: b"data: " + json.dumps(value).encode() + b"\n\n"), max_size=5).map(b"".join)


@given(st.sampled_from(PROVIDERS), st.one_of(st.binary(), CHUNKS), st.integers(0))
def test_arbitrary_bytes_end_in_one_finish_or_error(provider: wire.Provider, data: bytes, cut: int) -> None:
    events = read(provider, data)
    ends = [event for event in events if isinstance(event, Finish | StreamError)]
    assert events[-1:] == ends
    assert read(provider, data[: cut % (len(data) + 1)], data[cut % (len(data) + 1) :]) == events
    ids = [event.id for event in events if isinstance(event, ToolCall)]
    assert len(set(ids)) == len(ids) and all(ids)
    assert all(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("depth", [900, 980, 100_000])
def test_deep_nesting_raises_nothing(provider: wire.Provider, depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    call = b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":' + deep
    for data in (b"data: " + deep, b'data: {"error":' + deep + b"}", call + b"}}\n\ndata: [DONE]"):
        assert read(provider, data)
