"""The request of a model call as JSON: the body that goes to the provider, or what a rehearsal was given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rolebook.prompt.request import LlmRequest
from rolebook.record import Record

if TYPE_CHECKING:
    from rolebook_cli.running.opening import Run
    from rolebook_runner.upcoming import Upcoming


class Shown(Record):
    """A request of `agent`: `body` for `provider` at `path`, or, where there is none to ask, the request itself."""

    agent: str
    provider: str | None
    path: str | None
    body: Any

    def to_json(self) -> dict[str, Any]:
        return {"agent": self.agent, "provider": self.provider, "path": self.path, "body": self.body}


def last_request(run: Run) -> Shown | None:
    """What the last model call sent, byte for byte the same JSON; None before the first one."""
    call = run.last_call
    if call is None:
        return None
    provider = _provider(run, call.request.model)
    sent = run.traffic.last
    if provider is not None and sent is not None:
        return Shown(call.place.agent.name, provider, sent.path, json.loads(sent.body))
    return _shown(run, call.place.agent.name, call.request)


def next_request(run: Run, upcoming: Upcoming) -> Shown:
    return _shown(run, upcoming.place.agent.name, upcoming.compilation.request)


def _shown(run: Run, agent: str, request: LlmRequest) -> Shown:
    provider = _provider(run, request.model)
    if provider is None:
        return Shown(agent, None, None, request.to_json())
    from rolebook import wire

    return Shown(agent, provider, wire.path(provider, request.model), wire.body(request, provider).payload)


def _provider(run: Run, model: str | None) -> Any:
    """The protocol in which the model is asked, None where it is rehearsed."""
    from rolebook import wire

    if run.runner.rehearsal_reason(model) is not None:
        return None
    return wire.provider_of(model, run.tree.config.models) or "openai"
