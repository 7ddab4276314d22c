"""A stream of Anthropic's Messages API to events.

`message_start`, then for each content block `content_block_start`, its deltas and `content_block_stop`, then
`message_delta` with the stop reason and `message_stop`. `ping`, and events and fields that aren't known, are passed
over, as the API's versioning policy asks. Sources on platform.claude.com/docs, read 2026-11: build-with-claude/
streaming, build-with-claude/extended-thinking ("Preserving thinking blocks"), api/errors, and the
types of anthropic 2.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolebook.json import JsonObject, compact
from rolebook.wire.call_ids import CallIds
from rolebook.wire.reading import count, obj, string
from rolebook.wire.sse_answer import SseAnswer
from rolebook.wire.stream import Finish, FinishReason, KeptPart, StreamEvent, TextDelta, ToolCall, Usage, tool_call

_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refusal",
}
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class AnthropicStream(SseAnswer):
    """The answer of Anthropic. Without a stop reason it isn't whole."""

    __slots__ = ("_blocks", "_called", "_counts", "_detail", "_held", "_ids", "_stop")

    def __init__(self) -> None:
        super().__init__()
        self._ids = CallIds()
        self._blocks: dict[object, _Block] = {}
        self._held: list[ToolCall | KeptPart] = []
        self._called = False
        self._counts: dict[str, int] = {}
        self._stop = ""
        self._detail = ""

    def _read(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        match chunk.get("type"):
            case "message_start":
                self._count(obj(chunk.get("message")).get("usage"))
            case "content_block_start":
                yield from self._start(_key(chunk), obj(chunk.get("content_block")))
            case "content_block_delta":
                yield from self._delta(_key(chunk), obj(chunk.get("delta")))
            case "content_block_stop":
                yield from self._close_block(_key(chunk))
            case "message_delta":
                self._count(chunk.get("usage"))
                yield from self._stopped(obj(chunk.get("delta")))
            case "message_stop":
                yield from self._end()

    def _start(self, key: object, block: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._close_block(key)
        self._blocks[key] = _Block(block)
        if block.get("type") == "text" and (text := string(block.get("text"))):
            yield TextDelta(text)

    def _delta(self, key: object, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        kind = delta.get("type")
        if kind == "text_delta":
            if text := string(delta.get("text")):
                yield TextDelta(text)
        elif key in self._blocks:
            self._blocks[key].add(kind, delta)

    def _close_block(self, key: object) -> Iterator[StreamEvent]:
        """What a block leaves once it is complete. From the first call on it waits for the stop reason."""
        block = self._blocks.pop(key, None)
        event = block.event(self._ids) if block is not None else None
        if isinstance(event, ToolCall) or (event is not None and self._held):
            self._held.append(event)
        elif event is not None:
            yield event

    def _stopped(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        stop = string(delta.get("stop_reason"))
        if not stop:
            return
        self._stop = stop
        self._detail = string(obj(delta.get("stop_details")).get("explanation"))
        yield from self._release()

    def _release(self) -> Iterator[StreamEvent]:
        """The calls and what stands between them, none where the model refuses: what it said then is void."""
        for key in list(self._blocks):
            yield from self._close_block(key)
        held, self._held = self._held, []
        if self._stop != "refusal":
            self._called = self._called or any(isinstance(event, ToolCall) for event in held)
            yield from held

    def _is_whole(self) -> bool:
        return bool(self._stop)

    def _end(self) -> Iterator[StreamEvent]:
        yield from self._release()
        if self._counts:
            read, written = (self._counts.get(name, 0) for name in _COUNTS[2:])
            fresh, made = (self._counts.get(name, 0) for name in _COUNTS[:2])
            yield Usage(fresh + read + written, made, read, written)
        reason = _REASONS.get(self._stop, "other") if self._stop else "stop"
        if self._called and reason in ("stop", "other"):
            reason = "tool_calls"
        yield Finish(reason, self._detail or (self._stop if reason == "other" else ""))

    def _count(self, usage: object) -> None:
        """Counts are running totals, so a later one replaces an earlier one; null says nothing."""
        given = obj(usage)
        self._counts |= {name: count(given[name]) for name in _COUNTS if given.get(name) is not None}


class _Block:
    """One content block while its deltas arrive. Deltas of kinds that aren't known say nothing here."""

    __slots__ = ("_arguments", "_data", "_signature", "_thinking")

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._arguments: list[str] = []
        self._thinking = [string(data.get("thinking"))]
        self._signature = [string(data.get("signature"))]

    def add(self, kind: object, delta: dict[str, Any]) -> None:
        match kind:
            case "input_json_delta":
                self._arguments.append(string(delta.get("partial_json")))
            case "thinking_delta":
                self._thinking.append(string(delta.get("thinking")))
            case "signature_delta":
                self._signature.append(string(delta.get("signature")))

    def event(self, ids: CallIds) -> ToolCall | KeptPart | None:
        """A call, or a thought as the API wants it back; one without its signature would be refused, so it is none."""
        data = self._data
        match data.get("type"):
            case "tool_use":
                arguments = "".join(self._arguments) or _written(data.get("input"))
                return tool_call(ids.unique(string(data.get("id"))), string(data.get("name")), arguments)
            case "thinking" if signature := "".join(self._signature):
                kept: JsonObject = {"type": "thinking", "thinking": "".join(self._thinking), "signature": signature}
                return KeptPart(kept)
            case "redacted_thinking" if string(data.get("data")):
                return KeptPart({"type": "redacted_thinking", "data": data["data"]})
        return None


def _written(arguments: object) -> str:
    """Arguments that a server gives at once, as JSON text."""
    try:
        return compact(arguments) if arguments else ""
    except RecursionError:
        return "nested too deeply"  # no JSON, so the model is told


def _key(chunk: dict[str, Any]) -> int | None:
    """Which block a chunk speaks of."""
    index = chunk.get("index")
    return index if isinstance(index, int) else None
