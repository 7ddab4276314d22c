"""One model call: the answer comes back whole, and an agent's is streamed to the caller besides."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.events import FunctionCall, OtherPart, Part, TextPart
from rolebook.wire.stream import Finish, FinishReason, KeptPart, StreamError, TextDelta, ToolCall, Usage
from rolebook_runner import signals
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.models.model import Facts, ModelCall, Remark

_CUT_SHORT: dict[FinishReason, str] = {
    "length": "the answer was cut off at the token limit",
    "content_filter": "the provider's filter cut the answer off",
    "refusal": "the model refused to answer",
    "other": "the model stopped for a reason of the provider's own",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, as parts in its order, with the calls once more as they are answered.

    `metadata` is what its event notes besides: the model, usage, why it stopped early.
    """

    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...]
    metadata: JsonObject

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


async def ask(turn: Invocation, call: ModelCall) -> Reply:
    """The model's reply. Raises RunError where there is none; a broken answer is none, and nothing of it is stored."""
    name, branch = call.place.agent.name, call.place.branch
    reason = turn.settings.models.rehearsal_reason(call.request.model)
    if reason is not None:
        await turn.notice_once(f"this is a rehearsal: {reason}", name)
    parts: list[Part] = []
    pieces: list[str] = []
    calls: list[ToolCall] = []
    metadata: dict[str, JsonValue] = {"model": call.request.model} if reason is None else {}
    async with aclosing(turn.settings.models.of(call).stream(call.request)) as items:
        async for item in items:
            match item:
                case TextDelta(text):
                    pieces.append(text)
                    if not call.summarizes:
                        await turn.emit(signals.TextDelta(name, branch, text))
                case ToolCall(id, tool, args):
                    parts += [*_text(pieces), FunctionCall(id, tool, args)]
                    calls.append(item)
                case KeptPart(part):
                    parts += [*_text(pieces), OtherPart(part)]
                case Usage():
                    metadata["usage"] = _usage(item)
                case Finish(why, detail) if why in _CUT_SHORT:
                    metadata["finish"] = why
                    await turn.warn(f"agent `{name}`: {_CUT_SHORT[why]}{f' ({detail})' if detail else ''}", name)
                case Facts(facts):
                    metadata.update(facts)
                case Remark(message):
                    await turn.warn_once(f"agent `{name}`: {message}", name)
                case StreamError(message):
                    raise RunError(f"agent `{name}`: {message}")
    return Reply((*parts, *_text(pieces)), tuple(calls), metadata)


def _text(pieces: list[str]) -> list[TextPart]:
    """The text that has come so far as one part, if any; what comes next begins another."""
    text = "".join(pieces)
    pieces.clear()
    return [TextPart(text)] if text else []


def _usage(usage: Usage) -> JsonObject:
    noted = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    noted["cached_tokens"] = usage.cached_tokens
    return noted | ({"cache_write_tokens": usage.cache_write_tokens} if usage.cache_write_tokens else {})
