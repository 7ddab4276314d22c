"""What the caller of a turn sees while it runs, each with the JSON form that `rolebook run --json` prints."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.events import Event, EventId, event_to_json


@dataclass(frozen=True, slots=True)
class TurnStarted:
    session: str
    invocation: EventId


@dataclass(frozen=True, slots=True)
class AgentStarted:
    agent: str
    branch: str


@dataclass(frozen=True, slots=True)
class AgentFinished:
    agent: str
    branch: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of an answer while it arrives. The whole of it comes again with the event that stores it."""

    agent: str
    branch: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    agent: str
    branch: str
    id: str
    tool: str
    args: JsonObject


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """`response` is what the model gets; `failed` says that it is an error, and `where` the `FILE:LINE` that raised it.

    The model isn't told the place: it is about this machine, and of no use to it.
    """

    agent: str
    branch: str
    id: str
    tool: str
    response: JsonValue
    failed: bool
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Transferred:
    """`source` hands the conversation to `target`; both are names of agents."""

    source: str
    target: str
    branch: str
    note: str | None


@dataclass(frozen=True, slots=True)
class EventStored:
    """The event is in the session's store, and stays there whatever happens to the turn."""

    event: Event


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that is as it should be but that the user has to know, such as that this is a rehearsal."""

    message: str
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Warning:
    """Something went wrong, and the turn goes on without it."""

    message: str
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """The turn ends here. `limit` names the limit that was reached, if it was one."""

    message: str
    limit: str | None = None


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """Always the last signal, unless the caller stops listening. `text` holds the final texts of the turn, joined."""

    status: Literal["done", "failed"]
    text: str


Signal: TypeAlias = (
    TurnStarted
    | AgentStarted
    | AgentFinished
    | TextDelta
    | ToolStarted
    | ToolFinished
    | Transferred
    | EventStored
    | Notice
    | Warning
    | Error
    | TurnFinished
)

_TYPES: dict[type[Signal], str] = {
    TurnStarted: "turn_started",
    AgentStarted: "agent_started",
    AgentFinished: "agent_finished",
    TextDelta: "text_delta",
    ToolStarted: "tool_started",
    ToolFinished: "tool_finished",
    Transferred: "transferred",
    EventStored: "event_stored",
    Notice: "notice",
    Warning: "warning",
    Error: "error",
    TurnFinished: "turn_finished",
}


def signal_to_json(signal: Signal) -> dict[str, Any]:
    """The JSON object of a signal: its `type` in snake_case, then its fields; an event in its own JSON form."""
    out: dict[str, Any] = {"type": _TYPES[type(signal)]}
    for field in fields(signal):
        value = getattr(signal, field.name)
        out[field.name] = event_to_json(value) if isinstance(value, Event) else value
    return out
