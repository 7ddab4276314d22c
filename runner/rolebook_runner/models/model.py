"""What the runner asks of a model, and of whoever chooses one for each call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from rolebook.json import JsonObject, JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.events import Event, EventId
from rolebook.prompt.messages import Message
from rolebook.prompt.request import LlmRequest
from rolebook.wire.stream import StreamEvent


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One model call: the request, and the events and state (`temp:` keys too) that it was compiled from.

    Where it asks for a summary instead of the agent's answer, `summarizes` holds the messages that it is of.
    """

    place: Place
    request: LlmRequest
    events: tuple[Event, ...]
    state: Mapping[str, JsonValue]
    invocation: EventId
    summarizes: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What the event that stores the answer shall hold in its metadata besides."""

    metadata: JsonObject


@dataclass(frozen=True, slots=True)
class Remark:
    """What the user shall be warned of: a setting that isn't honoured, a call that is tried again."""

    message: str


Item: TypeAlias = StreamEvent | Facts | Remark


class Model(Protocol):
    def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
        """The answer while it arrives. Raises RunError where there is none; closing it ends the connection."""
        ...


class Models(Protocol):
    """Who answers which call."""

    def of(self, call: ModelCall) -> Model:
        """The model for this call. Raises RunError where none can be had."""
        ...

    def rehearsal_reason(self, model: str | None) -> str | None:
        """Why calls of this model are a rehearsal, as a clause for the user; None where they are real."""
        ...

    async def aclose(self) -> None: ...
