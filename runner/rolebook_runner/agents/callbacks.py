"""Callbacks: the user's functions before and after an agent, a model call and a tool call (spec §1, as in google-adk).

One that returns something answers in place of what it stands before, or replaces the answer that it stands behind. One
that fails ends the turn, or around a tool the call: it may be there to keep something from happening.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.events import FunctionCall, Part, TextPart, parts_from_json
from rolebook_runner.context import Context
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.jsonable import to_json
from rolebook_runner.sessions.state import ToolState
from rolebook_runner.tools.call import invoke
from rolebook_runner.tools.find import find
from rolebook_runner.tools.guard import UserCodeFailed, guarded
from rolebook_runner.tools.imports import guarded_import

When = Literal["before_agent", "after_agent", "before_model", "after_model", "before_tool", "after_tool"]

_CONTEXTS = ("context", "callback_context", "tool_context")
"""The parameters that get the context; google-adk has the latter two."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer as a callback sees it."""

    text: str
    parts: tuple[Part, ...]
    calls: tuple[FunctionCall, ...]


class CallbackFailed(RunError):
    """The message names the callback, the agent, and the place in the user's file."""


async def call_back(turn: Invocation, place: Place, when: When, context: Context, **offered: object) -> object:
    """The first result that isn't None of the agent's callbacks of that kind, None where there is none.

    A callback gets of `offered`, and the context, what it names as parameters. Raises CallbackFailed where one fails.
    """
    for name in place.agent.callbacks.get(f"{when}_callbacks", ()):
        try:
            result = await _called(turn, place, name, context, offered)
        except UserCodeFailed as failed:
            what = f"the {when} callback `{name}` of agent `{place.agent.name}` failed"
            raise CallbackFailed(f"{what}: {failed.located()}") from failed
        if result is not None:
            return result
    return None


def has_callbacks(place: Place, when: When) -> bool:
    return bool(place.agent.callbacks.get(f"{when}_callbacks"))


def writable_context(turn: Invocation, place: Place, state: Mapping[str, JsonValue]) -> tuple[Context, ToolState]:
    """A callback's context, and the state in it, which tells afterwards what was written."""
    written = ToolState(state)
    return turn.context(place, written), written


def parts_of(result: object, when: When, place: Place) -> tuple[Part, ...]:
    """The parts of an answer that a callback returned: text, an object with `text` or `parts`, or one of google-adk's.

    Raises CallbackFailed where it is none of those.
    """
    if isinstance(result, str):
        return (TextPart(result),)
    try:
        data = to_json(result)
    except TypeError:
        data = None
    if isinstance(data, Mapping) and isinstance(content := data.get("content"), Mapping):
        data = content
    if isinstance(data, Mapping):
        text, listed = data.get("text"), data.get("parts")
        if isinstance(listed, list | tuple):
            return tuple(
                part for each in listed if isinstance(each, Mapping) for part in parts_from_json(_without_nulls(each))
            )
        if isinstance(text, str):
            return (TextPart(text),)
    raise CallbackFailed(
        f"a {when} callback of agent `{place.agent.name}` returned {type(result).__name__}, which is no answer:"
        " text is one, or an object with `text` or `parts`"
    )


def _without_nulls(part: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in part.items() if value is not None}


async def _called(turn: Invocation, place: Place, name: str, context: Context, offered: Mapping[str, object]) -> object:
    limits = turn.settings.limits
    function = await guarded_import(limits, partial(find, name, turn.settings.folders(place)))
    if not callable(function):
        raise UserCodeFailed(f"it is no function but {type(function).__name__}")
    given = _arguments(function, {**offered, **dict.fromkeys(_CONTEXTS, context)})
    return await guarded(invoke(function, **given), limits.max_callback_seconds, "max_callback_seconds")


def _arguments(function: Callable[..., Any], offered: Mapping[str, object]) -> dict[str, object]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise UserCodeFailed(f"its parameters can't be read: {error}") from error
    given: dict[str, object] = {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in offered:
            given[name] = offered[name]
        elif parameter.default is parameter.empty:
            known = ", ".join(f"`{each}`" for each in offered)
            raise UserCodeFailed(f"there is nothing to give to its parameter `{name}`; it can have {known}")
    return given
