"""A Chat Completions stream to events, also from servers that keep the protocol only roughly.

What is tolerated, since public servers do it: calls without id or index, a name that comes again with every piece,
parallel calls that share index 0, arguments as an object, `stop` as the reason after calls, usage with every chunk or
in a last one without choices, refusals, a missing `finish_reason`, and errors in any of the shapes seen (sglang#4700,
vllm#31438, openai-python#2806, python-genai#2868, openrouter.ai/docs/api-reference/streaming; read 2026-11).

Only the first choice is read, and no thoughts (`reasoning_content`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolebook.wire.openai_calls import CallPieces
from rolebook.wire.reading import count, obj, string
from rolebook.wire.sse_answer import SseAnswer
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


class OpenAIStream(SseAnswer):
    """The answer of a Chat Completions server. Without a finish or `[DONE]` it isn't whole."""

    __slots__ = ("_called", "_calls", "_finish", "_refused", "_usage")

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallPieces()
        self._called = False
        self._refused = False
        self._finish: str | None = None
        self._usage: Usage | None = None

    def _read(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
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
            yield StreamError("the provider broke the answer off")
        elif isinstance(reason, str) and reason:
            self._finish = reason
            if _REASONS.get(reason.lower()) == "content_filter":  # what a filter ended is no call
                self._calls = CallPieces()
            yield from self._complete_calls()

    def _complete_calls(self) -> Iterator[ToolCall]:
        for call in self._calls.complete():
            self._called = True
            yield call

    def _is_whole(self) -> bool:
        return self._finish is not None

    def _end(self) -> Iterator[StreamEvent]:
        yield from self._complete_calls()
        if self._usage is not None:
            yield self._usage
        yield Finish(self._reason())

    def _reason(self) -> FinishReason:
        reason = _REASONS.get(self._finish.lower(), "other") if self._finish is not None else "stop"
        if self._called and reason in ("stop", "other"):
            return "tool_calls"
        return "refusal" if self._refused and reason == "stop" else reason


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
        return "".join(string(part.get("text")) for part in parts)
    return string(content)


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    details = obj(usage.get("prompt_tokens_details"))
    cached = details.get("cached_tokens")
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")  # DeepSeek
    return Usage(
        count(usage.get("prompt_tokens")),
        count(usage.get("completion_tokens")),
        count(cached),
        count(details.get("cache_write_tokens")),
    )
