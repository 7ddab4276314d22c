"""The embedded offline model (spec §8): it follows the agent's script, and without one answers with what it was given.

Where it stands in the script follows from the stored events alone: each answer notes its step in the event's metadata.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any, cast

from rolebook.definition.agent import Step
from rolebook.json import JsonObject, JsonValue, compact
from rolebook.prompt.compile import TRANSFER_TOOL
from rolebook.prompt.events import USER, Event, FunctionResponse, TextPart
from rolebook.prompt.messages import Message
from rolebook.prompt.request import Declaration, LlmRequest
from rolebook.syntax.template import placeholders
from rolebook.wire.stream import Finish, TextDelta, ToolCall
from rolebook_runner.models.model import Facts, Item, ModelCall

REHEARSAL = "rehearsal"
_PLACEHOLDER = re.compile(r"\{(?P<name>[^{}\s?]+)(?P<optional>\?)?\}")
_DELTAS = 4
_LONGEST_QUOTE = 80
_MISSING = object()


class Rehearsal:
    """Answers one model call."""

    def __init__(self, call: ModelCall) -> None:
        self._call = call

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Item, None]:
        agent = self._call.place.agent
        if self._call.summarizes:
            yield TextDelta(_what_was_summarized(self._call.summarizes))
            yield Finish("stop")
            return
        index = next_step(agent.rehearsal, self._call)
        yield Facts({REHEARSAL: {"step": index + 1 if index is not None else None}})
        if index is None:
            for delta in _in_deltas(_what_was_given(agent.name, request, self._call.events)):
                yield delta
            yield Finish("stop")
            return
        step = agent.rehearsal[index]
        if step.say is not None:
            for delta in _in_deltas(cast(str, _fill(step.say, self._call, whole_text=False))):
                yield delta
        calls = list(_calls(step, self._call))
        for call in calls:
            yield call
        yield Finish("tool_calls" if calls else "stop")


def next_step(script: Sequence[Step], call: ModelCall) -> int | None:
    """The index of the step that speaks now: cyclically after the one used last, the first that matches and that this
    user turn hasn't used yet."""
    used = list(_steps_used(call))
    last = used[-1][0] if used else -1
    spent = {step for step, invocation in used if invocation == call.invocation}
    said = _last_user_text(call.events).casefold()
    for offset in range(1, len(script) + 1):
        index = (last + offset) % len(script)
        on = script[index].on
        if index not in spent and (on is None or on.casefold() in said):
            return index
    return None


def _steps_used(call: ModelCall) -> Iterator[tuple[int, object]]:
    """The steps that this agent used in this session with the turn of each, oldest first."""
    for event in call.events:
        noted = event.metadata.get(REHEARSAL)
        if isinstance(noted, Mapping) and event.author == call.place.agent.name and event.branch == call.place.branch:
            step = noted.get("step")
            if isinstance(step, int):
                yield step - 1, event.invocation


def _calls(step: Step, call: ModelCall) -> Iterator[ToolCall]:
    wanted: dict[str, JsonValue] = dict(step.call or {})
    if step.transfer is not None:
        wanted[TRANSFER_TOOL] = {"agent_name": step.transfer}
    made = sum(len(event.calls) for event in call.events)
    for number, (tool, args) in enumerate(wanted.items(), made + 1):
        filled = _fill(args if args is not None else {}, call)
        yield ToolCall(f"call_{number}", tool, cast(JsonObject, filled if isinstance(filled, dict) else {}))


def _fill(value: JsonValue, call: ModelCall, whole_text: bool = True) -> JsonValue:
    """The value with its placeholders filled. A text that is one placeholder becomes the value itself, so that numbers
    stay numbers; inside of more text it is put as in an instruction (spec §2)."""
    if isinstance(value, Mapping):
        return {key: _fill(item, call) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_fill(item, call) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    if whole is not None and whole_text:
        found = _look_up(whole["name"], call)
        return value if found is _MISSING else cast(JsonValue, found)
    return _PLACEHOLDER.sub(lambda match: _put(match, call), value)


def _put(match: re.Match[str], call: ModelCall) -> str:
    found = _look_up(match["name"], call)
    if found is _MISSING or found is None:
        return "" if match["optional"] else match[0]
    return found if isinstance(found, str) else compact(found)


def _look_up(name: str, call: ModelCall) -> Any:
    head, *path = name.split(".")
    if name == "input":
        return _last_user_text(call.events)
    if head == "result":
        return _follow(_last_result(call), path)
    return call.state.get(name, _MISSING)


def _follow(value: object, path: Sequence[str]) -> object:
    for key in path:
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list | tuple) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return _MISSING
    return value


def _last_result(call: ModelCall) -> object:
    """What the agent's last tool gave back; handing over is no result."""
    for event in reversed(call.events):
        if event.author == call.place.agent.name and event.branch == call.place.branch:
            for part in reversed(event.parts):
                if isinstance(part, FunctionResponse) and part.name != TRANSFER_TOOL:
                    return part.response
    return _MISSING


def _last_user_text(events: Sequence[Event]) -> str:
    return next((event.text for event in reversed(events) if event.author == USER), "")


def _what_was_given(agent: str, request: LlmRequest, events: Sequence[Event]) -> str:
    tools = [f"`{tool.name}`" for tool in request.tools if isinstance(tool, Declaration)]
    told = f"{len(request.instruction):,} characters of instruction"
    unset = dict.fromkeys(f"`{found.key}`" for found in placeholders(request.dynamic_system_instruction))
    lines = [
        f"[rehearsal] `{agent}` was given {told}, {_count(len(request.messages), 'message')}"
        f" and {_count(len(tools), 'tool')}{': ' + ', '.join(tools) if tools else ''}."
    ]
    if unset:
        lines.append(f"Not set in its instruction: {', '.join(unset)}.")
    if said := " ".join(_last_user_text(events).split()):
        lines.append(f"The user said: {said}")
    return "\n".join(lines)


def _what_was_summarized(messages: Sequence[Message]) -> str:
    """How many messages there were, and the beginnings of the first and the last text among them."""
    said = [" ".join(part.text.split()) for message in messages for part in message.parts if isinstance(part, TextPart)]
    lines = [f"[rehearsal] {_count(len(messages), 'message')} were summarized."]
    lines += [f"{name}: {_cut(text)}" for name, text in zip(("First", "Last"), (said[:1] + said[-1:]), strict=False)]
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _in_deltas(text: str) -> Iterator[TextDelta]:
    """The text in a few pieces, cut between words, so that whoever shows a stream is tried out as well."""
    words = re.findall(r"\S+\s*|\s+", text)
    size = max(1, -(-len(words) // _DELTAS))
    for start in range(0, len(words), size):
        yield TextDelta("".join(words[start : start + size]))
