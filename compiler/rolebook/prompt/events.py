"""Events: what happened in a session, in the order in which it was stored. Plain frozen values with a JSON form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from rolebook.json import JsonObject, JsonValue
from rolebook.record import Record, field

USER = "user"
COMPACTION = "system:compaction"

EventId: TypeAlias = str | int | float

_SIGNATURES = ("thought_signature", "thoughtSignature")


class TextPart(Record):
    text: str


class FunctionCall(Record):
    """A tool call by the model. `id` ties the response to it."""

    id: str
    name: str
    args: JsonObject


class FunctionResponse(Record):
    """What a tool gave back for the call with the same `id`."""

    id: str
    name: str
    response: JsonValue


class OtherPart(Record):
    """A part of another kind (an image, a thought), passed on as it is.

    `{"thought_signature": …}` alone is Gemini's signature of the call that follows.
    """

    data: JsonObject


Part: TypeAlias = TextPart | FunctionCall | FunctionResponse | OtherPart


class Event(Record):
    """An event. `branch` is None for what everyone sees; a user turn's events share an `invocation`.

    `handed_from` names the event whose text was handed on here (spec §4); `replaces` those that a compaction hides.
    `metadata` is the runner's own (usage, which rehearsal step spoke) and never reaches a model.
    """

    id: EventId
    author: str
    branch: str | None
    parts: tuple[Part, ...]
    invocation: EventId | None = None
    handed_from: EventId | None = None
    replaces: tuple[EventId, ...] = ()
    metadata: JsonObject = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text parts together, without a separator."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, FunctionCall))


def part_to_json(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text):
            return {"text": text}
        case FunctionCall(id, name, args):
            return {"function_call": {"id": id, "name": name, "args": args}}
        case FunctionResponse(id, name, response):
            return {"function_response": {"id": id, "name": name, "response": response}}
        case OtherPart(data):
            return dict(data)


def parts_from_json(data: Mapping[str, Any]) -> Iterator[Part]:
    """The parts that a JSON object stands for; an object of an unknown kind is kept as `OtherPart`.

    google-adk, like Gemini, writes a signature beside a text or call. A call's is put in front of it, a text's behind.
    """
    signature = next((data[name] for name in _SIGNATURES if isinstance(data.get(name), str)), None)
    plain = {key: value for key, value in data.items() if key not in _SIGNATURES} if signature else data
    match plain:
        case {"text": str(text), **rest} if not rest:
            if text or not signature:
                yield TextPart(text)
            if signature:
                yield OtherPart({"text": "", "thought_signature": signature})
        case {"function_call": {"name": str(name), **call}}:
            if signature:
                yield OtherPart({"thought_signature": signature})
            yield FunctionCall(str(call.get("id") or ""), name, cast(JsonObject, call.get("args") or {}))
        case {"function_response": {"name": str(name), **reply}}:
            yield FunctionResponse(str(reply.get("id") or ""), name, cast(JsonValue, reply.get("response")))
        case _:
            yield OtherPart(dict(data))


def event_to_json(event: Event) -> dict[str, Any]:
    """The JSON object of an event; fields at their default are left out."""
    out: dict[str, Any] = {"id": event.id, "author": event.author, "branch": event.branch}
    if event.invocation is not None:
        out["invocation"] = event.invocation
    if event.handed_from is not None:
        out["handed_from"] = event.handed_from
    if event.replaces:
        out["replaces"] = list(event.replaces)
    out["parts"] = [part_to_json(part) for part in event.parts]
    if event.metadata:
        out["metadata"] = dict(event.metadata)
    return out


def event_from_json(data: Mapping[str, Any]) -> Event:
    """The event of a JSON object; `text` may stand for a single text part.

    Raises ValueError, with a sentence for the user, where the object is no event.
    """
    for name in ("id", "author"):
        if name not in data:
            raise ValueError(f"an event has no `{name}`")
    parts = data.get("parts", [{"text": data["text"]}] if isinstance(data.get("text"), str) else [])
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise ValueError("the `parts` of an event are a list of objects")
    branch = data.get("branch")
    if branch is not None and not isinstance(branch, str):
        raise ValueError("the `branch` of an event is text or null")
    replaces, metadata = data.get("replaces") or [], data.get("metadata") or {}
    if not isinstance(replaces, list) or not isinstance(metadata, Mapping):
        raise ValueError("the `replaces` of an event are a list of ids, its `metadata` an object")
    named = [data["id"], data.get("invocation"), data.get("handed_from"), *replaces]
    if not all(id is None or isinstance(id, str | int | float) for id in named):
        raise ValueError("the `id` of an event, and whatever names one, is text or a number")
    return Event(
        id=data["id"],
        author=str(data["author"]),
        branch=branch,
        parts=tuple(made for part in parts for made in parts_from_json(part)),
        invocation=data.get("invocation"),
        handed_from=data.get("handed_from"),
        replaces=tuple(replaces),
        metadata=dict(metadata),
    )
