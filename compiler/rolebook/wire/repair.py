"""Messages to turns that every provider accepts (spec §6): roles take turns, the user has the first and the last word,
and each call is answered in the turn behind it.

The result is plain values, so the preview shows exactly what was mended. A repaired history is repaired by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rolebook.json import compact
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart
from rolebook.prompt.messages import Message, Role
from rolebook.record import Record, replace

OMITTED_START = "(earlier conversation omitted)"
CONTINUE = "(continue)"
INTERRUPTED = "interrupted"

# Anthropic takes only such ids, and a session may move to it from a provider with looser ones.
_PORTABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Turn(Record):
    """What one side says. A model's calls close its turn, and their responses open the next one in the same order.

    Between calls stands nothing but what the model kept there, such as a thought or the next call's signature.
    """

    role: Role
    parts: tuple[Part, ...]


class _Place(Record):
    """Where a part stands: the turn, and the part in it."""

    turn: int
    part: int


def repaired(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """The turns of a request, never empty: without a message there is one user turn, `(continue)`.

    - Neighbours of one role merge, their parts side by side. Blank texts are left out, since Anthropic and Gemini
      refuse them.
    - A call belongs to the model and a response to the user, whatever the role of their message.
    - All responses to a turn's calls come directly behind it; what stood between moves behind them.
    - A call without a response gets `interrupted`.
    - A response whose call isn't there, or that is one too many, is told as text: no provider takes it as a response,
      and what follows may rest on it.
    - An id that is empty, used before, or of a form that not every provider takes is replaced by `call_N`.
    """
    turns = _merge(_sides(messages))
    answers, strays = _pair(turns)
    answered = _merge(_answer(turns, answers, strays))
    return tuple(_frame(answered))


def _sides(messages: Iterable[Message]) -> Iterator[Turn]:
    """The messages cut where a part belongs to the other side, without blank texts."""
    for message in messages:
        for part in message.parts:
            match part:
                case FunctionCall():
                    yield Turn("model", (part,))
                case FunctionResponse():
                    yield Turn("user", (part,))
                case TextPart(text) if not text.strip():
                    pass
                case _:
                    yield Turn(message.role, (part,))


def _merge(turns: Iterable[Turn]) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        if not turn.parts:
            continue
        if merged and merged[-1].role == turn.role:
            merged[-1] = Turn(turn.role, merged[-1].parts + turn.parts)
        else:
            merged.append(turn)
    return merged


def _pair(turns: Sequence[Turn]) -> tuple[dict[_Place, FunctionResponse], set[_Place]]:
    """The response of each call by the call's place, and the places of the responses that answer none."""
    waiting: dict[_Place, FunctionCall] = {}
    answers: dict[_Place, FunctionResponse] = {}
    strays: set[_Place] = set()
    for number, turn in enumerate(turns):
        for index, part in enumerate(turn.parts):
            if isinstance(part, FunctionCall):
                waiting[_Place(number, index)] = part
            elif isinstance(part, FunctionResponse):
                call = _call_of(part, waiting)
                if call is None:
                    strays.add(_Place(number, index))
                else:
                    del waiting[call]
                    answers[call] = part
    return answers, strays


def _call_of(response: FunctionResponse, waiting: dict[_Place, FunctionCall]) -> _Place | None:
    """The call that a response answers: by id, and where either has none, by name.

    Some servers count ids anew in each answer, so of several the newest turn's is meant, and within a turn the first.
    """

    def fits(call: FunctionCall) -> bool:
        if call.id and response.id:
            return call.id == response.id
        return call.name == response.name

    places = [place for place, call in waiting.items() if fits(call)]
    if not places:
        return None
    same_name = [place for place in places if waiting[place].name == response.name]
    return min(same_name or places, key=lambda place: (-place.turn, place.part))


def _answer(turns: Sequence[Turn], answers: dict[_Place, FunctionResponse], strays: set[_Place]) -> Iterator[Turn]:
    """The turns with each response moved to the turn behind its call."""
    used: set[str] = set()
    for number, turn in enumerate(turns):
        calls: list[Part] = []  # and, from the first of them on, thoughts, whose order providers check
        responses: list[Part] = []
        rest: list[Part] = []
        for index, part in enumerate(turn.parts):
            place = _Place(number, index)
            match part:
                case FunctionCall(_, name):
                    call = replace(part, id=_fresh_id(part.id, used))
                    used.add(call.id)
                    calls.append(call)
                    found = answers.get(place)
                    response = found.response if found is not None else INTERRUPTED
                    responses.append(FunctionResponse(call.id, name, response))
                case FunctionResponse():
                    if place in strays:
                        rest.append(_retell(part))
                case OtherPart() if calls:
                    calls.append(part)
                case _:
                    rest.append(part)
        yield Turn(turn.role, (*rest, *calls))
        yield Turn("user", tuple(responses))


def _fresh_id(id: str, used: set[str]) -> str:
    if id not in used and _PORTABLE_ID.fullmatch(id):
        return id
    number = len(used) + 1
    while f"call_{number}" in used:
        number += 1
    return f"call_{number}"


def _retell(part: FunctionResponse) -> TextPart:
    told = part.response if isinstance(part.response, str) else compact(part.response)
    return TextPart(f"(tool `{part.name}` returned: {told})")


def _frame(turns: Sequence[Turn]) -> Iterator[Turn]:
    if turns and turns[0].role == "model":
        yield Turn("user", (TextPart(OMITTED_START),))
    yield from turns
    if not turns or turns[-1].role == "model":
        yield Turn("user", (TextPart(CONTINUE),))
