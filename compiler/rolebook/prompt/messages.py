"""Events to messages (spec §4): which of them an agent sees, in which role, and how other agents' words are put."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rolebook.json import compact
from rolebook.prompt.events import (
    COMPACTION,
    USER,
    Event,
    EventId,
    FunctionCall,
    FunctionResponse,
    Part,
    TextPart,
    part_to_json,
)
from rolebook.record import Record

Role = Literal["user", "model"]


class Message(Record):
    """One turn as the model gets it. `event` and `invocation` say where it came from, None for what no event holds."""

    role: Role
    parts: tuple[Part, ...]
    event: EventId | None = None
    invocation: EventId | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "parts": [part_to_json(part) for part in self.parts],
            "event": self.event,
            "invocation": self.invocation,
        }


def visible(event_branch: str | None, current: str | None) -> bool:
    """Whether an agent on branch `current` sees an event: its own branch, an ancestor's, or none on either side."""
    if event_branch is None or current is None:
        return True
    return current == event_branch or current.startswith(event_branch + ".")


def build_messages(
    events: Sequence[Event], agent: str, branch: str | None, include_contents: Literal["default", "none"] = "default"
) -> tuple[Message, ...]:
    """The messages that the agent named `agent` gets on `branch`, oldest first, before compression."""
    shown = shown_events(events, branch)
    if include_contents == "none":
        shown = _since_latest_input(shown, events)
    return tuple(
        Message(_role(event, agent), tuple(_put(event, agent)), event.id, event.invocation)
        for event in shown
        if event.parts
    )


def shown_events(events: Sequence[Event], branch: str | None) -> list[Event]:
    """The events that are shown on `branch`, in the order in which they are shown.

    A compaction event stands where the first event that it replaces was shown, and hides those that it replaces, also
    once a later one replaces it. An event that was handed on isn't shown where its origin's branch is visible.
    """
    by_id = {event.id: event for event in events}
    seen = [event for event in events if visible(event.branch, branch)]
    hidden: set[EventId] = set()
    for event in seen:
        if event.author == COMPACTION:
            hidden.update(event.replaces)
    order = {event.id: (index, 0) for index, event in enumerate(seen)}
    for event in seen:  # an earlier summary has found its place when a later one replaces it
        if event.author == COMPACTION:
            places = [order[id] for id in event.replaces if id in order]
            if places:
                order[event.id] = min(places)

    def repeats(event: Event) -> bool:
        origin = by_id.get(event.handed_from) if event.handed_from is not None else None
        return origin is not None and visible(origin.branch, branch)

    kept = [event for event in seen if event.id not in hidden and not repeats(event)]
    return sorted(kept, key=lambda event: order[event.id])


def is_transfer_note(event: Event, events: Iterable[Event]) -> bool:
    """Whether a handed-on event is the note of a transfer (its origin is the call), not the text of a step."""
    return event.handed_from is not None and any(other.id == event.handed_from and other.calls for other in events)


def _since_latest_input(shown: list[Event], events: Sequence[Event]) -> list[Event]:
    """What `include_contents: none` leaves: all from the latest user event or the first event of the latest hand-on."""

    def handed(index: int) -> bool:
        event = shown[index]
        return event.handed_from is not None and not is_transfer_note(event, events)

    for index in range(len(shown) - 1, -1, -1):
        if shown[index].author == USER:
            return shown[index:]
        if handed(index):
            while index > 0 and handed(index - 1) and shown[index - 1].branch == shown[index].branch:
                index -= 1
            return shown[index:]
    return shown


def _role(event: Event, agent: str) -> Role:
    if event.author == agent and not any(isinstance(part, FunctionResponse) for part in event.parts):
        return "model"
    return "user"


def _put(event: Event, agent: str) -> Iterable[Part]:
    """The parts of an event as `agent` reads them; another agent's are told in words, as in the seed."""
    if event.author in (USER, COMPACTION, agent):
        return event.parts
    return [_retell(part, event.author) for part in event.parts]


def _retell(part: Part, author: str) -> Part:
    match part:
        case TextPart(text):
            return TextPart(f"[{author}] said: {text}")
        case FunctionCall(_, name, args):
            return TextPart(f"[{author}] called tool `{name}` with parameters: {compact(args)}")
        case FunctionResponse(_, name, response):
            told = response if isinstance(response, str) else compact(response)
            return TextPart(f"[{author}] tool `{name}` returned: {told}")
    return part
