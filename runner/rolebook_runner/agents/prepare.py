"""What only a run can know, obtained before each model call: texts of providers, lists of tools, schemas."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from rolebook.definition.agent import Provider, SchemaName
from rolebook.json import JsonObject, JsonValue
from rolebook.project.tree import Place
from rolebook.prompt import context as prompt
from rolebook.prompt.request import Declaration
from rolebook_runner.artifacts.prompt import artifact_texts, filled
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.tools.call import invoke
from rolebook_runner.tools.find import find
from rolebook_runner.tools.guard import UserCodeFailed, guarded
from rolebook_runner.tools.imports import guarded_import, imported
from rolebook_runner.tools.toolbox import Toolbox, listed_toolbox

logger = logging.getLogger("rolebook.run")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the request is compiled from, and the tools that its calls are answered with."""

    context: prompt.Context
    toolbox: Toolbox


async def prepare(turn: Invocation, place: Place, state: Mapping[str, JsonValue]) -> Prepared:
    """The inputs of the next model call of the agent at `place`, which sees this `state`."""
    settings, agent = turn.settings, place.agent
    provided: dict[str, str] = {}
    listed: dict[str, tuple[Declaration, ...]] = {}
    for provider, owner in _instruction_providers(turn, place):
        provided[provider.label] = await _text(turn, place, provider, owner, state)
    tools = await imported(turn.settings.limits, f"the tools of agent `{agent.name}`", partial(settings.toolbox, place))
    if isinstance(agent.tools, Provider):
        tools = await _tools(turn, place, agent.tools, state)
        listed[agent.tools.label] = tuple(tools.declarations.values())
    for problem in tools.problems:
        await turn.warn_once(f"agent `{agent.name}`: {problem}", agent.name)
    artifacts = await artifact_texts(settings.artifacts, turn.key, settings.tree, place, provided.values())
    for name in (name for name, text in artifacts.items() if text is None):
        await turn.warn_once(
            f"agent `{agent.name}`: the artifact `{name}` is no text, so it isn't filled in", agent.name
        )
    context = prompt.Context(
        state=state,
        artifacts=filled(artifacts),
        provided=provided,
        listed=listed,
        schemas=await _schemas(turn, place),
        declarations=tools.declarations,
    )
    return Prepared(context, tools)


def _instruction_providers(turn: Invocation, place: Place) -> list[tuple[Provider, Place]]:
    """The providers whose text is part of the agent's instruction, each with the place whose definition names it."""
    found = [(place.agent.instruction, place)]
    if (inherited := turn.settings.tree.global_instruction(place)) is not None:
        found.append(inherited)
    return [(instruction, owner) for instruction, owner in found if isinstance(instruction, Provider)]


async def _text(
    turn: Invocation, place: Place, provider: Provider, owner: Place, state: Mapping[str, JsonValue]
) -> str:
    try:
        text = await _call(turn, place, provider, owner, state)
        if isinstance(text, str):
            return text
        problem = f"it returned {type(text).__name__}, not text"
    except UserCodeFailed as failed:
        problem = failed.located()
    await _failed(turn, place, f"the instruction function `{provider.function}`", problem)
    return ""


async def _tools(turn: Invocation, place: Place, provider: Provider, state: Mapping[str, JsonValue]) -> Toolbox:
    try:
        items = await _call(turn, place, provider, place, state)
        return await guarded_import(turn.settings.limits, partial(listed_toolbox, items, turn.settings.folders(place)))
    except UserCodeFailed as failed:
        problem = failed.located()
    await _failed(turn, place, f"the tool-list function `{provider.function}`", problem)
    return Toolbox()


async def _call(
    turn: Invocation, place: Place, provider: Provider, owner: Place, state: Mapping[str, JsonValue]
) -> object:
    """What a provider function returns. It gets a copy of the state that it can't write to. Raises UserCodeFailed."""
    function = await guarded_import(
        turn.settings.limits, partial(find, provider.function, turn.settings.folders(owner))
    )
    if not callable(function):
        raise UserCodeFailed(f"it is no function but {type(function).__name__}")
    context = turn.context(place, MappingProxyType(copy.deepcopy(dict(state))))
    seconds = turn.settings.limits.max_provider_seconds
    return await guarded(invoke(function, context, *provider.args), seconds, "max_provider_seconds")


async def _failed(turn: Invocation, place: Place, what: str, problem: str) -> None:
    """As in the seed the agent still answers, unless the run is told to stop (spec §3)."""
    sentence = f"{what} of agent `{place.agent.name}` failed: {problem}"
    if turn.settings.stop_on_instruction_error:
        raise RunError(sentence)
    logger.warning("%s", sentence)
    await turn.warn(sentence, place.agent.name)


async def _schemas(turn: Invocation, place: Place) -> dict[str, JsonObject]:
    """The JSON Schema of the pydantic model that the agent answers with, if it names one."""
    schema = place.agent.output_schema
    if not isinstance(schema, SchemaName):
        return {}
    work = partial(_schema, schema.name, turn.settings.folders(place))
    return {schema.name: await imported(turn.settings.limits, f"the output schema `{schema.name}`", work)}


def _schema(name: str, folders: Sequence[str]) -> JsonObject:
    from pydantic import TypeAdapter

    model: Any = find(name, folders)
    try:
        return cast(JsonObject, TypeAdapter(model).json_schema())
    except Exception as error:
        raise RunError(f"the output schema `{name}` gives no JSON Schema: {error}") from error
