"""Stored events as people read them, one line for each thing that happened; also what two runs are compared by."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from rolebook.json import JsonValue, compact
from rolebook.prompt.compile import TRANSFER_TOOL
from rolebook.prompt.events import COMPACTION, USER, Event, FunctionCall, FunctionResponse, TextPart
from rolebook.record import Record
from rolebook_cli.excerpt import visible


class Turn(Record):
    """What follows one message of the user. `state` was set together with the message."""

    text: str
    state: Mapping[str, JsonValue]
    events: tuple[Event, ...]


def turns(events: Sequence[Event]) -> Iterator[Turn]:
    """The user turns of a session; what comes before the first message belongs to none."""
    starts = [index for index, event in enumerate(events) if event.author == USER and event.handed_from is None]
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        state = events[start].metadata.get("state")
        yield Turn(events[start].text, state if isinstance(state, Mapping) else {}, tuple(events[start + 1 : end]))


def lines(events: Sequence[Event]) -> Iterator[str]:
    """A line for each text, call and response. What was only handed on was told before, so it is left out.

    What a terminal would obey is shown as its escape.
    """
    return (visible(line, keep="\n\t") for line in _lines(events))


def _lines(events: Sequence[Event]) -> Iterator[str]:
    for index, event in enumerate(events):
        if event.handed_from is not None:
            continue
        answers = _answers(events, index)
        for part in event.parts:
            match part:
                case TextPart(text) if text.strip():
                    yield f"{_who(event)}: {text}"
                case FunctionCall(id, name, args):
                    yield from _call(event, name, args, id in answers)
                case FunctionResponse(_, name, response) if name != TRANSFER_TOOL:
                    yield f"  {name} gave {compact(response)}"


def _who(event: Event) -> str:
    return {USER: "you", COMPACTION: "summary"}.get(event.author, event.author)


def _call(event: Event, name: str, args: Mapping[str, JsonValue], answered: bool) -> Iterator[str]:
    cut = "" if answered else " (interrupted)"
    if name == TRANSFER_TOOL:
        note = f": {args['note']}" if args.get("note") else ""
        yield f"  {event.author} hands over to {args.get('agent_name')}{note}{cut}"
    else:
        yield f"  {event.author} calls {name} {compact(args)}{cut}"


def _answers(events: Sequence[Event], index: int) -> set[str]:
    """The ids of the calls of an event that were answered: by the next event of its agent, or never."""
    event = events[index]
    if not event.calls:
        return set()
    for other in itertools.islice(events, index + 1, None):
        if (other.author, other.branch) == (event.author, event.branch) and other.handed_from is None:
            return {part.id for part in other.parts if isinstance(part, FunctionResponse)}
    return set()
