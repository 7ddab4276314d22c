"""One model call: the answer is streamed to the caller and comes back whole."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from rolebook.json import JsonObject, JsonValue
from rolebook.wire.stream import Finish, FinishReason, StreamError, TextDelta, ToolCall, Usage
from rolebook_runner import signals
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.models.model import Facts, ModelCall, Remark

_CUT_SHORT: dict[FinishReason, str] = {
    "length": "the answer was cut off at the token limit",
    "content_filter": "the provider's filter cut the answer off",
    "refusal": "the model refused to answer",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said; `metadata` is what its event notes besides: the model, usage, why it stopped early."""

    text: str
    calls: tuple[ToolCall, ...]
    metadata: JsonObject


async def ask(turn: Invocation, call: ModelCall) -> Reply:
    """The model's reply. Raises RunError where there is none; a broken answer is none, and nothing of it is stored."""
    name, branch = call.place.agent.name, call.place.branch
    reason = turn.settings.models.rehearsal_reason(call.request.model)
    if reason is not None:
        await turn.notice_once(f"this is a rehearsal: {reason}", name)
    texts: list[str] = []
    calls: list[ToolCall] = []
    metadata: dict[str, JsonValue] = {"model": call.request.model} if reason is None else {}
    async with aclosing(turn.settings.models.of(call).stream(call.request)) as items:
        async for item in items:
            match item:
                case TextDelta(text):
                    texts.append(text)
                    await turn.emit(signals.TextDelta(name, branch, text))
                case ToolCall():
                    calls.append(item)
                case Usage(spent, made, cached):
                    metadata["usage"] = {"input_tokens": spent, "output_tokens": made, "cached_tokens": cached}
                case Finish(why) if why in _CUT_SHORT:
                    metadata["finish"] = why
                    await turn.warn(f"agent `{name}`: {_CUT_SHORT[why]}", name)
                case Facts(facts):
                    metadata.update(facts)
                case Remark(message):
                    await turn.warn_once(f"agent `{name}`: {message}", name)
                case StreamError(message):
                    raise RunError(f"agent `{name}`: {message}")
    return Reply("".join(texts), tuple(calls), metadata)
