"""A Gemini stream (`streamGenerateContent?alt=sse`) to events.

Each chunk is a `GenerateContentResponse` with new parts; nothing marks the last one, and a `finishReason` may come with
several, so the answer ends where the connection does. Sources, read 2026-11: ai.google.dev/api/generate-content
(FinishReason, PromptFeedback, UsageMetadata), gemini-api/docs/thought-signatures, and the types of google-genai 3.6.

Only the first candidate is read. A thought's own text is dropped, since Gemini doesn't want it back; its signature is
kept, because Gemini 3 refuses a call that comes back without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolebook.wire.call_ids import CallIds
from rolebook.wire.reading import count, items, obj, string
from rolebook.wire.sse_answer import SseAnswer
from rolebook.wire.stream import Finish, FinishReason, KeptPart, StreamEvent, TextDelta, ToolCall, Usage

_REASONS: dict[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "content_filter"),
    **dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "content_filter"),
    **dict.fromkeys(("MODEL_ARMOR", "ESCALATION"), "content_filter"),
}
_UNSPECIFIED = ("", "FINISH_REASON_UNSPECIFIED")


class GeminiStream(SseAnswer):
    """The answer of Gemini. Without a finish reason or a blocked prompt it isn't whole."""

    __slots__ = ("_blocked", "_finish", "_held", "_ids", "_message", "_usage")

    def __init__(self) -> None:
        super().__init__()
        self._ids = CallIds()
        self._held: list[ToolCall | KeptPart] = []
        self._finish = ""
        self._message = ""
        self._blocked = ""
        self._usage: Usage | None = None

    def _read(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        self._usage = _usage(chunk.get("usageMetadata")) or self._usage
        feedback = obj(chunk.get("promptFeedback"))
        self._blocked = string(feedback.get("blockReason")) or self._blocked
        self._message = string(feedback.get("blockReasonMessage")) or self._message
        for candidate in map(obj, items(chunk.get("candidates"))):
            if candidate.get("index", 0) in (0, None):
                for part in items(obj(candidate.get("content")).get("parts")):
                    yield from self._part(obj(part))
                reason = string(candidate.get("finishReason"))
                self._finish = self._finish if reason in _UNSPECIFIED else reason
                self._message = string(candidate.get("finishMessage")) or self._message

    def _part(self, part: dict[str, Any]) -> Iterator[StreamEvent]:
        """A part, cut into what Rolebook stores apart: text, call, and a signature in front of its call."""
        signature = string(part.get("thoughtSignature"))
        call, text = part.get("functionCall"), part.get("text")
        if isinstance(call, dict):
            if signature:
                self._held.append(KeptPart({"thought_signature": signature}))
            self._held.append(self._call(call))
        elif part.get("thought"):
            if signature:
                yield from self._keep(part)
        elif isinstance(text, str):
            if text:
                yield TextDelta(text)
            if signature:  # Gemini itself sends one in an empty text at the end of a stream
                yield from self._keep({"text": "", "thought_signature": signature})
        elif part:
            yield from self._keep(part)

    def _keep(self, part: dict[str, Any]) -> Iterator[KeptPart]:
        """The part, or none yet where it stands behind a call, since parts keep their order."""
        if self._held:
            self._held.append(KeptPart(part))
        else:
            yield KeptPart(part)

    def _call(self, call: dict[str, Any]) -> ToolCall:
        name, args = string(call.get("name")), call.get("args")
        problem = None if name else "the call names no tool"
        if args is not None and not isinstance(args, dict):
            problem = problem or "the arguments are no JSON object"
        return ToolCall(self._ids.unique(string(call.get("id"))), name, obj(args), problem)

    def _is_whole(self) -> bool:
        return bool(self._finish or self._blocked)

    def _end(self) -> Iterator[StreamEvent]:
        reason = self._reason()
        if reason != "content_filter":
            yield from self._held
        if self._usage is not None:
            yield self._usage
        yield Finish(reason, self._detail(reason))

    def _reason(self) -> FinishReason:
        if self._blocked and not self._finish:
            return "content_filter"
        reason = _REASONS.get(self._finish, "other") if self._finish else "stop"
        called = any(isinstance(event, ToolCall) for event in self._held)
        return "tool_calls" if called and reason in ("stop", "other") else reason

    def _detail(self, reason: FinishReason) -> str:
        """What Gemini says about an answer that ended otherwise than it should."""
        if reason in ("stop", "tool_calls", "length"):
            return ""
        name = self._finish or f"the prompt was blocked, {self._blocked}"
        return f"{name}: {self._message}" if self._message else name


def _usage(usage: object) -> Usage | None:
    """`promptTokenCount` includes what came from the cache; thoughts are counted beside the candidates."""
    if not isinstance(usage, dict):
        return None
    return Usage(
        count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount")),
        count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount")),
        count(usage.get("cachedContentTokenCount")),
    )
