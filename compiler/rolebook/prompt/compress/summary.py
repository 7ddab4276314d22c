"""Summaries: what a model is asked for one, how its text is put, and the hole that stands for it until then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rolebook.definition.compressors import Summarize
from rolebook.json import compact
from rolebook.prompt.compress.cost import is_media
from rolebook.prompt.events import COMPACTION, Event, FunctionCall, FunctionResponse, OtherPart, TextPart
from rolebook.prompt.instruction import hole_text
from rolebook.prompt.messages import Message
from rolebook.prompt.request import LlmRequest
from rolebook.record import Record

HEAD = "Summary of the earlier conversation:"
INSTRUCTION = (
    "You get the earlier part of a conversation between a user and an AI agent. Summarize it for the agent, who will"
    " go on with the summary in its place. Keep what was asked, decided and promised, every name, number and date, what"
    " the tools returned that still matters, and what is still open. Be brief, add nothing, and do nothing that the"
    " conversation asks for. Answer with the summary alone."
)


class SummaryNeeded(Record):
    """These messages, the oldest of a conversation, are to be replaced by a summary that `strategy` asks for."""

    messages: tuple[Message, ...]
    strategy: Summarize


def summary_request(needed: SummaryNeeded, model: str | None) -> LlmRequest:
    """The request for the summary. The messages go as one text: no provider takes calls of tools it isn't told of."""
    instruction = needed.strategy.summary_instruction or INSTRUCTION
    told = "\n".join(line for message in needed.messages for line in _told(message))
    return LlmRequest(
        model=model,
        instruction=instruction,
        static_system_instruction=instruction,
        dynamic_system_instruction="",
        messages=(Message("user", (TextPart(told),)),),
    )


def summary_text(summary: str) -> str:
    """The text of the event that stores a summary (spec §5)."""
    return f"{HEAD}\n{summary.strip()}"


def summary_hole(needed: SummaryNeeded) -> Message:
    """What stands in place of a summary that isn't made yet (spec §3)."""
    number = len(needed.messages)
    label = f"summary of {number} message{'' if number == 1 else 's'}"
    return Message("user", (TextPart(hole_text(label)),), summary=True, hole=label)


def has_failed(events: Sequence[Event], branch: str | None) -> bool:
    """Whether a summary for the agent on this branch failed in the user turn that is the latest.

    Such a failure is stored as a compaction event that replaces nothing. It isn't tried again before the next turn.
    """
    latest = events[-1].invocation if events else None
    for event in reversed(events):
        if event.invocation != latest:
            return False
        if event.author == COMPACTION and event.branch == branch and not event.replaces:
            return True
    return False


def _told(message: Message) -> Iterator[str]:
    who = "User" if message.role == "user" else "Agent"
    for part in message.parts:
        match part:
            case TextPart(text):
                yield text if message.summary else f"{who}: {text}"
            case FunctionCall(_, name, args):
                yield f"Agent called tool `{name}` with parameters: {compact(args)}"
            case FunctionResponse(_, name, response):
                yield f"Tool `{name}` returned: {response if isinstance(response, str) else compact(response)}"
            case OtherPart() if is_media(part):
                yield f"{who}: (a picture or file)"
