"""What a model's answer consists of while it arrives: events that are the same for every provider.

An answer is any number of `TextDelta`, `KeptPart` and `ToolCall` in the order of its parts, then at most one `Usage`,
then one `Finish`; or a `StreamError` at any point, which is always the last event. A stream that ends before its answer
does ends in a `StreamError`, wherever it was cut.
"""

from __future__ import annotations

import json
from typing import Literal, Protocol, TypeAlias

from rolebook.json import JsonObject
from rolebook.record import Record

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "other"]

RAW_ARGUMENTS = "raw_arguments"


class TextDelta(Record):
    """The next piece of the visible text, never empty. Thoughts are no visible text; a refusal is."""

    text: str


class ToolCall(Record):
    """One complete call, with an id that is unique in the answer.

    Where the model wrote arguments that are no JSON object, `args` is `{"raw_arguments": TEXT}`, so that the call can
    be stored and sent back like any other, and `error` is a sentence that tells the model what is wrong with them.
    """

    id: str
    name: str
    args: JsonObject
    error: str | None = None


class KeptPart(Record):
    """A part that is neither text nor call and belongs into the history at this place (`OtherPart`).

    A thought that the provider wants back as it was (Anthropic's thinking blocks, Gemini's signature of the call that
    follows), or media.
    """

    part: JsonObject


class Usage(Record):
    """Tokens as the provider counts them, thoughts among the output.

    `input_tokens` is the whole input; `cached_tokens` are those of it that came from the provider's cache, and
    `cache_write_tokens` those that went into it.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cache_write_tokens: int = 0


class Finish(Record):
    """Why the model stopped. `tool_calls` whenever it waits for responses, whatever the provider calls that.

    `detail` is what the provider says about it, "" where it says nothing. A call in an answer that a filter or a
    refusal ended is none.
    """

    reason: FinishReason
    detail: str = ""


class StreamError(Record):
    """The answer broke off.

    `status` is the HTTP status that the provider put into the stream, None without one; `retry_after` the seconds after
    which it says to try again.
    """

    message: str
    status: int | None = None
    retry_after: float | None = None


StreamEvent: TypeAlias = TextDelta | ToolCall | KeptPart | Usage | Finish | StreamError


class Answer(Protocol):
    """A provider's stream while it is read. The events depend on the bytes alone, not on how `feed` got them."""

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """The events that `chunk` completes; none once the answer has ended. No bytes raise."""
        ...

    def close(self) -> list[StreamEvent]:
        """The events left when the connection closes."""
        ...


def tool_call(id: str, name: str, arguments: str) -> ToolCall:
    """The call with its arguments read from JSON text; no text at all stands for no arguments."""
    problem = None if name else "the call names no tool"
    try:
        args = json.loads(arguments, parse_constant=_refuse) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        return ToolCall(id, name, {RAW_ARGUMENTS: arguments}, problem or f"the arguments are no JSON: {error}")
    if not isinstance(args, dict):
        return ToolCall(id, name, {RAW_ARGUMENTS: arguments}, problem or "the arguments are no JSON object")
    return ToolCall(id, name, args, problem)


def _refuse(constant: str) -> None:
    """Python reads `NaN` and `Infinity`, which no provider takes back."""
    raise ValueError(f"{constant} is no JSON value")
