"""`LlmRequest` to a provider's HTTP body, and its stream back to events. Pure: bytes and values, no connection."""

from __future__ import annotations

from collections.abc import Callable

from rolebook.prompt.request import LlmRequest
from rolebook.wire import anthropic, gemini, openai
from rolebook.wire.payload import Wire, encode
from rolebook.wire.providers import Provider, provider_of, wire_name
from rolebook.wire.repair import Turn, repaired

__all__ = ["Provider", "Turn", "Wire", "body", "encode", "provider_of", "repaired", "wire_name"]

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
