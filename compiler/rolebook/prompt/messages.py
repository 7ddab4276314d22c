"""Events to messages (spec §4): which of them an agent sees, in which role, and how other agents' words are put."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    """One turn as the model gets it. `event` and `invocation` say where it came from, None for what no event holds.

    `summary` says that it stands for earlier messages; where that text isn't made yet, `hole` is its name.
    """

    role: Role
    parts: tuple[Part, ...]
    event: EventId | None = None
    invocation: EventId | None = None
    summary: bool = False
    hole: str | None = None

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
    shown = shown_events(events, branch, include_contents)
    return tuple(
        Message(_role(event, agent), tuple(_put(event, agent)), event.id, event.invocation, event.author == COMPACTION)
        for event in shown
        if event.parts
    )


def shown_events(
    events: Sequence[Event], branch: str | None, include_contents: Literal["default", "none"] = "default"
) -> list[Event]:
    """The events that are shown on `branch`, in the order in which they are shown.

    A compaction event stands where the first event that it replaces was shown, and hides those that it replaces, also
    once a later one replaces it. An event that was handed on isn't shown where its origin's branch is visible.
    `none` leaves what is shown from the latest input on (spec §1); where a summary replaced that, from the summary on.
    """
    by_id = {event.id: event for event in events}

    def repeats(event: Event) -> bool:
        origin = by_id.get(event.handed_from) if event.handed_from is not None else None
        return origin is not None and visible(origin.branch, branch)

    seen = [event for event in events if visible(event.branch, branch) and not repeats(event)]
    hidden_by: dict[EventId, EventId] = {}
    order = {event.id: index for index, event in enumerate(seen)}
    for event in seen:  # an earlier summary has found its place when a later one replaces it
        if event.author == COMPACTION:
            hidden_by.update(dict.fromkeys(event.replaces, event.id))
            places = [order[id] for id in event.replaces if id in order]
            if places:
                order[event.id] = min(places)
    shown = sorted((event for event in seen if event.id not in hidden_by), key=lambda event: order[event.id])
    if include_contents == "none" and (first := _latest_input(seen, by_id)) is not None:
        begin = order[_standing_for(first, hidden_by)]
        return [event for event in shown if order[event.id] >= begin]
    return shown


def _latest_input(seen: Sequence[Event], by_id: Mapping[EventId, Event]) -> EventId | None:
    """The latest user event, or the first event of the latest hand-on of a step."""
    said = [event for event in seen if event.author != COMPACTION]

    def handed(index: int) -> bool:
        """Whether the event is the text of a step; a transfer's note, whose origin is the call, is none."""
        origin = said[index].handed_from
        return origin is not None and not (origin in by_id and by_id[origin].calls)

    for index in range(len(said) - 1, -1, -1):
        if said[index].author == USER:
            return said[index].id
        if handed(index):
            while index > 0 and handed(index - 1) and said[index - 1].branch == said[index].branch:
                index -= 1
            return said[index].id
    return None


def _standing_for(id: EventId, hidden_by: dict[EventId, EventId]) -> EventId:
    """The event itself, or the summary that is shown in its place. Takes the entries out on the way, so it ends."""
    while id in hidden_by:
        id = hidden_by.pop(id)
    return id


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
