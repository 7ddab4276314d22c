"""Who sets which key of session state, as far as definitions tell, and the state that a session starts with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from rolebook.definition.agent import Tool
from rolebook.json import JsonValue
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.text import NOWHERE, Span

SetterKind = Literal["state", "config", "output_key", "tool"]


class Setter(Record):
    """One place that sets a key. `path` is empty for what no file of the project shows."""

    key: str
    kind: SetterKind
    agent: str
    path: str
    span: Span


class ToolWrites(Record):
    """What a tool's function writes to session state: named keys, and whether it may write any other."""

    setters: tuple[Setter, ...] = ()
    any: bool = False


class StateKeys(Record):
    """Every setter by its key. `open_to` names tools that may set any key; with one, a missing setter proves little."""

    setters: Mapping[str, tuple[Setter, ...]]
    open_to: tuple[str, ...] = ()


def state_keys(tree: Tree, writes: Callable[[Place], Mapping[str, ToolWrites]]) -> StateKeys:
    """All that the agents of a tree declare and write. `writes` tells of an agent's functions by their dotted names; of
    one that it leaves out nothing is known, so it may set anything."""
    setters: dict[str, list[Setter]] = {}
    open_to: dict[str, None] = {}
    for key in tree.config.state:
        setters[key] = [Setter(key, "config", "", tree.config.path, NOWHERE)]
    for place in tree:
        for setter in _of_definition(place):
            setters.setdefault(setter.key, []).append(setter)
        functions = writes(place)
        for name in tool_functions(place):
            known = functions.get(name, ToolWrites(any=True))
            for setter in known.setters:
                setters.setdefault(setter.key, []).append(setter)
            if known.any:
                open_to[name] = None
    return StateKeys({key: tuple(found) for key, found in setters.items()}, tuple(open_to))


def tool_functions(place: Place) -> Iterator[str]:
    """The dotted names of the user's functions that an agent may call, its callbacks included."""
    tools: Iterable[Tool] = place.agent.tools if isinstance(place.agent.tools, tuple) else ()
    for tool in tools:
        name = tool.function or tool.name
        if "." in name and not name.startswith("google.adk."):
            yield name
    for names in place.agent.callbacks.values():
        yield from names
    yield from place.agent.edge_functions


def initial_state(tree: Tree, *, samples: bool) -> dict[str, JsonValue]:
    """The state of a new session: every `default`, and with `samples` the samples of keys that have none.

    Samples serve previews and rehearsals only (spec §1), those of `rolebook.toml` included. Of agents that declare one
    key the outermost counts, and any of them before the configuration.
    """
    state: dict[str, JsonValue] = {}
    for place in tree:
        for declared in place.agent.state:
            if declared.key in state:
                continue
            if declared.has_default:
                state[declared.key] = declared.default
            elif samples and declared.has_sample:
                state[declared.key] = declared.sample
    return {**tree.config.state, **state} if samples else state


def _of_definition(place: Place) -> Iterator[Setter]:
    agent = place.agent
    for declared in agent.state:
        yield Setter(declared.key, "state", agent.name, agent.path, declared.span)
    if agent.output_key is not None:
        yield Setter(agent.output_key, "output_key", agent.name, agent.path, agent.entries["output_key"].value.span)
