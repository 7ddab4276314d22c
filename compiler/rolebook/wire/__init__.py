"""`LlmRequest` to a provider's HTTP body, and its stream back to events. Pure: bytes and values, no connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rolebook.prompt.request import LlmRequest
from rolebook.wire import anthropic, gemini, openai
from rolebook.wire.payload import Wire, encode
from rolebook.wire.providers import Provider, provider_of, wire_name
from rolebook.wire.repair import Turn, repaired

if TYPE_CHECKING:
    from rolebook.wire.stream import Answer

__all__ = ["Provider", "Turn", "Wire", "answer", "body", "encode", "path", "provider_of", "repaired", "wire_name"]

_BODIES: dict[Provider, Callable[[LlmRequest, bool], Wire]] = {
    "gemini": gemini.body,
    "anthropic": anthropic.body,
    "openai": openai.body,
}


def body(request: LlmRequest, provider: Provider, stream: bool = True) -> Wire:
    """The HTTP body that asks `provider` for the answer to `request`, and what it can't honour of it (spec §6).

    Pure and total: the runner sends `encode` of the payload, and the preview shows the same value. What only a run can
    know stays in it as `{"hole": NAME}`, which no provider accepts, so a request is complete before it is sent.
    """
    return _BODIES[provider](request, stream)


def answer(provider: Provider) -> Answer:
    """What reads one streamed answer of `provider`: bytes in, the events of `rolebook.wire.stream` out."""
    match provider:  # loaded late, since whoever only compiles reads no stream
        case "gemini":
            from rolebook.wire.gemini_stream import GeminiStream

            return GeminiStream()
        case "anthropic":
            from rolebook.wire.anthropic_stream import AnthropicStream

            return AnthropicStream()
        case "openai":
            from rolebook.wire.openai_stream import OpenAIStream

            return OpenAIStream()


def path(provider: Provider, model: str | None, stream: bool = True) -> str:
    """The URL path of a request, behind the address of the API and its version (`…/v1beta`, `…/v1`)."""
    match provider:
        case "gemini":
            return gemini.path(model or "", stream)
        case "anthropic":
            return "messages"
        case "openai":
            return "chat/completions"
