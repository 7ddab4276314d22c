"""A Chat Completions stream to events, also from servers that keep the protocol only roughly.

What is tolerated, since public servers do it: calls without id or index, a name that comes again with every piece,
parallel calls that share index 0, arguments as an object, `stop` as the reason after calls, usage with every chunk or
in a last one without choices, refusals, a missing `finish_reason`, and errors in any of the shapes seen (sglang#4700,
vllm#31438, openai-python#2806, python-genai#2868, openrouter.ai/docs/api-reference/streaming; read 2026-11).

Only the first choice is read, and no thoughts (`reasoning_content`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from rolebook.wire.openai_calls import CallPieces
from rolebook.wire.sse import ServerEvent, SseDecoder
from rolebook.wire.stream import Finish, FinishReason, StreamError, StreamEvent, TextDelta, ToolCall, Usage

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "refusal": "refusal",
}
_EXCERPT = 200


class OpenAIStream:
    """Bytes in, events out. The events depend on the bytes alone, not on how `feed` got them; no bytes raise."""

    __slots__ = ("_called", "_calls", "_ended", "_finish", "_refused", "_sse", "_usage")

    def __init__(self) -> None:
        self._sse = SseDecoder()
        self._calls = CallPieces()
        self._called = False
        self._refused = False
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._ended = False

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """The events that `chunk` completes; none once the answer has ended."""
        return [event for sent in self._sse.feed(chunk) for event in self._read(sent)]

    def close(self) -> list[StreamEvent]:
        """The events left when the connection closes. Without a finish or `[DONE]` that is a `StreamError`."""
        events = [event for sent in self._sse.close() for event in self._read(sent)]
        if self._ended:
            return events
        if self._finish is not None:
            return [*events, *self._end()]
        return [*events, *self._fail(_broken_off(self._sse.stray))]

    def _read(self, sent: ServerEvent) -> Iterator[StreamEvent]:
        if self._ended:
            return
        if sent.data.strip() == "[DONE]":
            yield from self._end()
            return
        if not sent.data.strip():
            return
        chunk = _json(sent.data)
        if not isinstance(chunk, dict):
            yield from self._fail(StreamError(f"the stream holds what is no chunk: {sent.data[:_EXCERPT]}"))
            return
        error = _error(chunk, sent.event, sent.data)
        if error is not None:
            yield from self._fail(error)
            return
        self._usage = _usage(chunk.get("usage")) or self._usage
        choice = _first_choice(chunk)
        if choice is not None:
            yield from self._read_choice(choice)

    def _read_choice(self, choice: dict[str, Any]) -> Iterator[StreamEvent]:
        delta = choice.get("delta")
        if isinstance(delta, dict):
            refusal = _text(delta.get("refusal"))
            text = _text(delta.get("content")) + refusal
            self._refused = self._refused or bool(refusal)
            if text:
                yield TextDelta(text)
            pieces = delta.get("tool_calls")
            for piece in pieces if isinstance(pieces, list) else ():
                if isinstance(piece, dict):
                    self._calls.add(piece)
        reason = choice.get("finish_reason")
        if reason == "error":
            yield from self._fail(StreamError("the provider broke the answer off"))
        elif isinstance(reason, str) and reason:
            self._finish = reason
            yield from self._complete_calls()

    def _complete_calls(self) -> Iterator[ToolCall]:
        for call in self._calls.complete():
            self._called = True
            yield call

    def _end(self) -> Iterator[StreamEvent]:
        self._ended = True
        yield from self._complete_calls()
        if self._usage is not None:
            yield self._usage
        yield Finish(self._reason())

    def _reason(self) -> FinishReason:
        reason = _REASONS.get(self._finish.lower(), "other") if self._finish is not None else "stop"
        if self._called and reason in ("stop", "other"):
            return "tool_calls"
        return "refusal" if self._refused and reason == "stop" else reason

    def _fail(self, error: StreamError) -> Iterator[StreamEvent]:
        self._ended = True
        yield error


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any] | None:
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index", 0) in (0, None):
            return choice
    return None


def _text(content: object) -> str:
    """The visible text of a delta: a string, or a list of parts as Mistral sends it."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(_string(part.get("text")) for part in parts)
    return _string(content)


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")  # DeepSeek
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def _error(chunk: dict[str, Any], event: str, source: str) -> StreamError | None:
    """The error that a chunk is, or None.

    Servers write `{"error": {…}}`, `{"error": "…"}`, `{"object": "error", …}` (vLLM) or an event of the type `error`.
    """
    error = chunk.get("error")
    if not error and event != "error" and chunk.get("object") != "error":
        return None
    told = error if isinstance(error, dict) else chunk
    message = error if isinstance(error, str) else _string(told.get("message")) or source[:_EXCERPT]
    codes = (told.get(key) for key in ("status", "status_code", "code"))
    return StreamError(message, next((status for code in codes if (status := _status(code))), None))


def _broken_off(stray: str) -> StreamError:
    """The error for a stream that just ends; `stray` is what came instead of one."""
    if not stray.strip():
        return StreamError("the stream ended before the answer did")
    value = _json(stray)
    error = _error(value, "", stray) if isinstance(value, dict) else None
    return error or StreamError(f"the answer is no event stream: {stray.strip()[:_EXCERPT]}")


def _json(text: str) -> object:
    """The JSON value of a text, None where it is none."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def _status(code: object) -> int | None:
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    return number if isinstance(number, int) and 400 <= number <= 599 else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
