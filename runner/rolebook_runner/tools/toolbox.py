"""The tools of one agent: what the model is told of each, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from rolebook.definition.agent import Reference, Tool
from rolebook.definition.signature import declaration
from rolebook.definition.types import Hole
from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.request import Declaration
from rolebook.record import replace
from rolebook_runner.declare import signature_of
from rolebook_runner.errors import RunError
from rolebook_runner.tools.builtin import BUILT_IN
from rolebook_runner.tools.find import find

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """`functions` by the name that the model calls, and so the files of `agents` that are used as tools; `declarations`
    by the label that a tool has in its definition.

    `problems` are sentences for the user about tools that can't be called here.
    """

    functions: Mapping[str, Function] = field(default_factory=dict)
    declarations: Mapping[str, Declaration] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    agents: Mapping[str, Reference] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What the model can call."""
        return (*self.functions, *self.agents)


def toolbox(tools: Iterable[Tool], folders: Sequence[str], known: Mapping[str, Declaration]) -> Toolbox:
    """The tools of a definition. Importing them runs the user's modules.

    `known` are declarations that were read from source; they hold, so that a run tells the model what `compile` prints,
    and only what reading left open is asked of the function. Raises RunError for a name that leads nowhere.
    """
    functions: dict[str, Function] = {}
    declarations: dict[str, Declaration] = {}
    problems: list[str] = []
    agents: dict[str, Reference] = {}
    for tool in tools:
        told = known.get(tool.label)
        if tool.agent is not None:
            if told is not None:
                declarations[tool.label] = told
                agents[told.name] = tool.agent
            continue
        function = _function(tool, folders)
        if told is None or has_hole(told.parameters):
            told = _declared(tool, function) or told
        if told is not None:
            declarations[tool.label] = told
        if function is None:
            problems.append(f"the tool `{tool.name}` can't be called: this runner doesn't have it")
        else:
            functions[told.name if told is not None else tool.name] = function
    return Toolbox(functions, declarations, tuple(problems), agents)


def listed_toolbox(items: object, folders: Sequence[str]) -> Toolbox:
    """The tools that a tool-list function returned: functions, dotted names, or tools declared as in a definition.

    Raises RunError, with a sentence about the item, for anything else.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise RunError(f"it returned {type(items).__name__}, not a list of tools")
    functions: dict[str, Function] = {}
    declarations: dict[str, Declaration] = {}
    for item in items:
        told, function = _listed(item, folders)
        functions[told.name] = function
        declarations[told.name] = told
    return Toolbox(functions, declarations)


def has_hole(value: JsonValue) -> bool:
    """Whether a schema holds `{"hole": NAME}`, which stands for what reading the source left open."""
    if isinstance(value, Mapping):
        return (len(value) == 1 and isinstance(value.get("hole"), str)) or any(map(has_hole, value.values()))
    return isinstance(value, list | tuple) and any(map(has_hole, value))


def _function(tool: Tool, folders: Sequence[str]) -> Function | None:
    """What is behind a tool of a definition; None for a class, a toolset or a built-in that this runner hasn't got."""
    if tool.declared:
        return _found(tool.function, folders) if tool.function is not None else None
    if tool.name in BUILT_IN:
        return BUILT_IN[tool.name]
    if tool.args is not None or "." not in tool.name or tool.name.startswith("google.adk."):
        return None
    return _found(tool.name, folders)


def _found(name: str, folders: Sequence[str]) -> Function:
    value = find(name, folders)
    if not callable(value):
        raise RunError(f"the tool `{name}` is no function but {type(value).__name__}")
    return value


def _declared(tool: Tool, function: Function | None) -> Declaration | None:
    if tool.parameters is not None:
        return Declaration(tool.name, tool.description, tool.parameters)
    if function is None:
        return None
    told = declare(function, tool.name if tool.declared else tool.name.rpartition(".")[2])
    return replace(told, description=tool.description or told.description)


def declare(function: Function, name: str | None = None) -> Declaration:
    """What the model is told of a function as a tool called `name`, from its signature and docstring.

    Raises RunError where it has none.
    """
    try:
        told = declaration(signature_of(function, name))
    except (TypeError, ValueError) as error:
        raise RunError(f"the tool {function!r} has no signature that can be read: {error}") from error
    if isinstance(told, Hole):
        raise RunError(f"the tool {function!r} has no signature that can be read")
    return told


def _listed(item: object, folders: Sequence[str]) -> tuple[Declaration, Function]:
    if isinstance(item, str):
        item = BUILT_IN.get(item) or _found(item, folders)
    if callable(item):
        return declare(item), item
    match item:
        case {"name": str(name), "function": function, **rest}:
            function = _found(function, folders) if isinstance(function, str) else function
            if callable(function):
                told = declare(function)
                parameters = cast(JsonObject, rest.get("parameters") or told.parameters)
                return Declaration(name, str(rest.get("description") or told.description), parameters), function
    raise RunError(f"{item!r} in its list is no tool: a function, a dotted name, or name and function are")
