"""Chat Completions streams to events: streams as servers send them, well-formed and otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.json import compact
from rolebook.wire.openai_stream import OpenAIStream
from rolebook.wire.stream import Finish, StreamError, StreamEvent, TextDelta, ToolCall, Usage

DONE = b"data: [DONE]\n\n"


def chunk(**fields: Any) -> bytes:
    return f"data: {compact(fields)}\n\n".encode()


def delta(finish_reason: str | None = None, **fields: Any) -> bytes:
    return chunk(choices=[{"index": 0, "delta": fields, "finish_reason": finish_reason}])


def piece(index: int | None, arguments: Any, name: str | None = None, id: str | None = None) -> bytes:
    entry: dict[str, Any] = {"function": {"arguments": arguments}}
    if index is not None:
        entry["index"] = index
    if name is not None:
        entry["function"]["name"] = name
    if id is not None:
        entry["id"] = id
    return delta(tool_calls=[entry])


def finish(reason: str | None) -> bytes:
    return delta(reason)


def usage(input: int, output: int, **more: Any) -> bytes:
    return chunk(choices=[], usage={"prompt_tokens": input, "completion_tokens": output, **more})


def read(*chunks: bytes) -> list[StreamEvent]:
    stream = OpenAIStream()
    events = [event for part in chunks for event in stream.feed(part)]
    return [*events, *stream.close()]


NYC, PARIS = '{"city":"NYC"}', '{"city":"Paris"}'
TWO_CALLS: list[StreamEvent] = [
    ToolCall("a", "look", {"city": "NYC"}),
    ToolCall("b", "look", {"city": "Paris"}),
    Finish("tool_calls"),
]
TWO_UNNAMED: list[StreamEvent] = [
    ToolCall("call_1", "look", {"city": "NYC"}),
    ToolCall("call_2", "look", {"city": "Paris"}),
    Finish("tool_calls"),
]

CASES: dict[str, tuple[list[bytes], list[StreamEvent]]] = {
    "text": (
        [delta(role="assistant", content=""), delta(content="Hé"), delta(content="llo 😀"), finish("stop"), DONE],
        [TextDelta("Hé"), TextDelta("llo 😀"), Finish("stop")],
    ),
    "usage in a last chunk without choices": (
        [
            delta(content="a"),
            finish("length"),
            usage(9, 2, prompt_tokens_details={"cached_tokens": 4}),
            DONE,
        ],
        [TextDelta("a"), Usage(9, 2, 4), Finish("length")],
    ),
    "usage with every chunk: the last counts": (
        [usage(9, 1), delta(content="a"), usage(9, 2, prompt_cache_hit_tokens=3), finish("stop"), DONE],
        [TextDelta("a"), Usage(9, 2, 3), Finish("stop")],
    ),
    "comments and keep-alives": (
        [b": OPENROUTER PROCESSING\n\n", delta(content="a"), b":\n\n", b"data: \n\n", finish("stop"), DONE],
        [TextDelta("a"), Finish("stop")],
    ),
    "parallel calls in interleaved pieces": (
        [
            piece(0, "", "look", "a"),
            piece(1, "", "look", "b"),
            piece(0, NYC[:5]),
            piece(1, PARIS[:7]),
            piece(0, NYC[5:]),
            piece(1, PARIS[7:]),
            finish("tool_calls"),
            DONE,
        ],
        TWO_CALLS,
    ),
    "text, then a call": (
        [delta(content="I look."), piece(0, NYC, "look", "a"), finish("tool_calls"), DONE],
        [TextDelta("I look."), ToolCall("a", "look", {"city": "NYC"}), Finish("tool_calls")],
    ),
    "`stop` after calls": ([piece(0, NYC, "look", "a"), piece(1, PARIS, "look", "b"), finish("stop"), DONE], TWO_CALLS),
    "no ids": ([piece(0, NYC, "look"), piece(1, PARIS, "look"), finish("tool_calls"), DONE], TWO_UNNAMED),
    "neither ids nor indices": (
        [piece(None, NYC, "look"), piece(None, PARIS, "look"), finish("stop"), DONE],
        TWO_UNNAMED,
    ),
    "no indices, in pieces": (
        [
            piece(None, NYC[:4], "look", "a"),
            piece(None, NYC[4:]),
            piece(None, PARIS, "look", "b"),
            finish("stop"),
            DONE,
        ],
        TWO_CALLS,
    ),
    "all calls under index 0": (
        [piece(0, NYC, "look", "a"), piece(0, PARIS, "look", "b"), finish("stop"), DONE],
        TWO_CALLS,
    ),
    "one id for two calls": (
        [piece(0, NYC, "look", "x"), piece(1, PARIS, "look", "x"), finish("tool_calls"), DONE],
        [ToolCall("x", "look", {"city": "NYC"}), ToolCall("call_2", "look", {"city": "Paris"}), Finish("tool_calls")],
    ),
    "the name again with every piece": (
        [
            piece(0, NYC[:4], "look", "a"),
            piece(0, NYC[4:9], "look"),
            piece(0, NYC[9:], "look", "a"),
            finish("stop"),
            DONE,
        ],
        [ToolCall("a", "look", {"city": "NYC"}), Finish("tool_calls")],
    ),
    "another id with every piece": (
        [piece(0, NYC[:4], "look", "a"), piece(0, NYC[4:], None, "other"), finish("tool_calls"), DONE],
        [ToolCall("a", "look", {"city": "NYC"}), Finish("tool_calls")],
    ),
    "the name in pieces": (
        [piece(0, "", "get_", "a"), piece(0, "", "weather"), piece(0, "{}"), finish("tool_calls"), DONE],
        [ToolCall("a", "get_weather", {}), Finish("tool_calls")],
    ),
    "arguments as an object": (
        [piece(0, {"city": "NYC"}, "look", "a"), finish("tool_calls"), DONE],
        [ToolCall("a", "look", {"city": "NYC"}), Finish("tool_calls")],
    ),
    "no arguments": (
        [piece(0, None, "look", "a"), finish("tool_calls"), DONE],
        [ToolCall("a", "look", {}), Finish("tool_calls")],
    ),
    "arguments that are no object": (
        [piece(0, "[1]", "look", "a"), finish("tool_calls"), DONE],
        [ToolCall("a", "look", {"raw_arguments": "[1]"}, "the arguments are no JSON object"), Finish("tool_calls")],
    ),
    "arguments with a value that JSON lacks": (
        [piece(0, '{"x":NaN}', "look", "a"), finish("tool_calls"), DONE],
        [
            ToolCall("a", "look", {"raw_arguments": '{"x":NaN}'}, "the arguments are no JSON: NaN is no JSON value"),
            Finish("tool_calls"),
        ],
    ),
    "a call that names no tool": (
        [piece(0, "{}", None, "a"), finish("tool_calls"), DONE],
        [ToolCall("a", "", {}, "the call names no tool"), Finish("tool_calls")],
    ),
    "a reason of the server's own after a call": (
        [piece(0, "{}", "look", "a"), finish("TOOL_CALL"), DONE],
        [ToolCall("a", "look", {}), Finish("tool_calls")],
    ),
    "a refusal": (
        [delta(refusal="I can't."), finish("stop"), DONE],
        [TextDelta("I can't."), Finish("refusal")],
    ),
    "filtered": ([delta(content="a"), finish("content_filter"), DONE], [TextDelta("a"), Finish("content_filter")]),
    "what a filter ended is no call": (
        [piece(0, NYC, "look", "a"), finish("content_filter"), DONE],
        [Finish("content_filter")],
    ),
    "tokens that went into the cache": (
        [delta(content="a"), finish("stop"), usage(9, 2, prompt_tokens_details={"cache_write_tokens": 8}), DONE],
        [TextDelta("a"), Usage(9, 2, 0, 8), Finish("stop")],
    ),
    "a reason of the server's own": ([finish("repetition"), DONE], [Finish("other")]),
    "no reason but an end": ([delta(content="a"), finish(None), DONE], [TextDelta("a"), Finish("stop")]),
    "no reason after a call": (
        [piece(0, NYC, "look", "a"), DONE],
        [ToolCall("a", "look", {"city": "NYC"}), Finish("tool_calls")],
    ),
    "an empty reason with every chunk": (
        [delta("", content="a"), delta("", content="b"), finish("stop"), DONE],
        [TextDelta("a"), TextDelta("b"), Finish("stop")],
    ),
    "no [DONE]": ([delta(content="a"), finish("stop")], [TextDelta("a"), Finish("stop")]),
    "nothing is read after the end": ([finish("stop"), DONE, delta(content="a")], [Finish("stop")]),
    "thoughts and other choices aren't read": (
        [
            delta(reasoning_content="hmm"),
            chunk(choices=[{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]),
            finish("stop"),
            DONE,
        ],
        [TextDelta("a"), Finish("stop")],
    ),
    "content in parts": (
        [delta(content=[{"type": "thinking", "thinking": []}, {"type": "text", "text": "a"}]), finish("stop"), DONE],
        [TextDelta("a"), Finish("stop")],
    ),
    "cut off in a text": (
        [delta(content="a")],
        [TextDelta("a"), StreamError("the stream ended before the answer did")],
    ),
    "cut off in a call: a call that may lack arguments is none": (
        [piece(0, "{}", "look", "a")],
        [StreamError("the stream ended before the answer did")],
    ),
    "nothing at all": ([], [StreamError("the stream ended before the answer did")]),
    "an error object": (
        [delta(content="a"), chunk(error={"message": "Overloaded", "code": 503}, choices=[]), DONE],
        [TextDelta("a"), StreamError("Overloaded", 503)],
    ),
    "an error with a status as text": (
        [chunk(error={"message": "Slow down", "code": "429", "type": "rate_limit"})],
        [StreamError("Slow down", 429)],
    ),
    "an error as text": ([chunk(error="out of memory")], [StreamError("out of memory")]),
    "vLLM's error": ([chunk(object="error", message="too long", code=400)], [StreamError("too long", 400)]),
    "an error event": ([b'event: error\ndata: {"message": "gone", "status": 500}\n\n'], [StreamError("gone", 500)]),
    "an error without a message": ([chunk(error={"code": "x"})], [StreamError('{"error":{"code":"x"}}')]),
    "an error as the reason": (
        [delta(content="a"), finish("error")],
        [TextDelta("a"), StreamError("the provider broke the answer off")],
    ),
    "an error where a stream was expected": (
        [b'{"error": {"message": "model not found", "code": 404}}'],
        [StreamError("model not found", 404)],
    ),
    "a page where a stream was expected": (
        [b"<html>\n<h1>Bad gateway</h1>"],
        [StreamError("the answer is no event stream: <html>\n<h1>Bad gateway</h1>")],
    ),
    "garbage in the stream": (
        [delta(content="a"), b"data: {oops\n\n", delta(content="b")],
        [TextDelta("a"), StreamError("the stream holds what is no chunk: {oops")],
    ),
    "JSON that is no chunk": ([b"data: [1]\n\n"], [StreamError("the stream holds what is no chunk: [1]")]),
    "fields of the wrong type": (
        [
            chunk(choices=3, usage=[1]),
            chunk(choices=[None, {"delta": 1, "finish_reason": 2}]),
            delta(content={"a": 1}, tool_calls={"a": 1}, refusal=[1]),
            delta(tool_calls=[1, {"function": 2, "index": [0], "id": 3}]),
            chunk(choices=[], usage={"prompt_tokens": True, "completion_tokens": -1}),
            finish("stop"),
        ],
        [ToolCall("call_1", "", {}, "the call names no tool"), Usage(0, 0), Finish("tool_calls")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_events(case: str) -> None:
    chunks, expected = CASES[case]
    assert read(*chunks) == expected


@pytest.mark.parametrize("case", CASES)
def test_any_cut_gives_the_same_events(case: str) -> None:
    chunks, expected = CASES[case]
    data = b"".join(chunks)
    assert read(*(data[index : index + 1] for index in range(len(data)))) == expected
    for cut in range(len(data)):
        assert read(data[:cut], data[cut:]) == expected


@pytest.mark.parametrize("case", CASES)
def test_other_line_ends_give_the_same_events(case: str) -> None:
    chunks, expected = CASES[case]
    if not b"".join(chunks).startswith(b"<"):  # the page's own line ends are part of the message
        assert read(*(part.replace(b"\n", b"\r\n") for part in chunks)) == expected


def test_text_arrives_at_once_and_calls_with_the_reason() -> None:
    stream = OpenAIStream()
    assert stream.feed(delta(content="a")) == [TextDelta("a")]
    assert stream.feed(piece(0, NYC, "look", "a")) == []
    assert stream.feed(finish("tool_calls")) == [ToolCall("a", "look", {"city": "NYC"})]
    assert stream.feed(DONE) == [Finish("tool_calls")]
    assert stream.close() == []


def test_arguments_cut_short_are_kept_as_text() -> None:
    call, end = read(piece(0, '{"city": "N', "look", "a"), finish("length"), DONE)
    assert isinstance(call, ToolCall)
    assert call.args == {"raw_arguments": '{"city": "N'}
    assert call.error is not None and call.error.startswith("the arguments are no JSON: ")
    assert end == Finish("length")


@pytest.mark.parametrize("depth", [200, 900, 960, 980, 990, 1_000, 100_000])
def test_deep_nesting_raises_nothing(depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    for data in (
        b"data: " + deep + b"\n\n",
        b'data: {"error":' + deep + b"}\n\n",
        b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"t","arguments":'
        + deep
        + b"}}]}}]}\n\n"
        + DONE,
        piece(0, deep.decode(), "t", "a") + DONE,
    ):
        assert read(data)


TOKENS = [
    *(
        b"data: ",
        b"event: error\n",
        b"\n",
        b"\r",
        b"[DONE]",
        b'{"choices":[',
        b'{"delta":{',
        b'"content":"x"',
        b"}",
        b"]",
    ),
    *(b'"tool_calls":[', b'{"index":0,"function":{"name":"t","arguments":"{}"}}', b'"finish_reason":"stop"', b","),
    *(b'{"error":{', b'"code":500', b'"usage":{"prompt_tokens":1}', b"null", b"\xf0\x9f", b"\\ud800"),
]
STREAMS = st.one_of(st.binary(), st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join))
FIELDS = [
    *("choices", "delta", "content", "refusal", "tool_calls", "function", "name", "arguments", "index", "id"),
    *("finish_reason", "usage", "prompt_tokens", "prompt_tokens_details", "error", "message", "code"),
]
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(st.sampled_from(FIELDS), below, max_size=4)),
    max_leaves=20,
)
CHUNKS = st.lists(JSON.map(lambda value: b"data: " + json.dumps(value).encode() + b"\n\n"), max_size=4).map(b"".join)


@given(st.one_of(STREAMS, CHUNKS), st.integers(0))
def test_arbitrary_bytes_end_in_one_finish_or_error(data: bytes, cut: int) -> None:
    events = read(data)
    ends = [event for event in events if isinstance(event, Finish | StreamError)]
    assert events[-1:] == ends
    assert read(data[: cut % (len(data) + 1)], data[cut % (len(data) + 1) :]) == events
    ids = [event.id for event in events if isinstance(event, ToolCall)]
    assert len(set(ids)) == len(ids) and all(ids)
    assert all(event.text for event in events if isinstance(event, TextDelta))
