"""Who sets which key of session state, as far as definitions tell, and the state that a session starts with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from rolebook.definition.agent import Agent, Provider, Reference, Tool
from rolebook.json import JsonValue
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.text import NOWHERE, Span

SetterKind = Literal["state", "config", "output_key", "tool"]

Stage = Literal["start", "before", "during", "after"]
"""When a key is set: before any agent runs, before the agent's first request, once that is answered, or at its end."""

EXIT_LOOP = "exit_loop"
"""The built-in tool that ends the loop around the agent."""


_CALLBACKS: Mapping[str, Stage] = {"before_agent_callbacks": "before", "after_agent_callbacks": "after"}


class Setter(Record):
    """One place that sets a key. `path` is empty for what no file of the project shows, `place` None for the start."""

    key: str
    kind: SetterKind
    agent: str
    path: str
    span: Span
    place: int | None = None
    stage: Stage = "start"


class Write(Record):
    """A key that a function sets, and where its source does so."""

    key: str
    path: str
    span: Span


class Effects(Record):
    """What a function does to session state: the keys that it sets, and whether it may set any other. `escalates` says
    that it ends the loop around the agent, `path` where its source is."""

    writes: tuple[Write, ...] = ()
    any: bool = False
    escalates: bool = False
    path: str = ""


class StateKeys(Record):
    """Every setter by its key. `open_to` names what may set any key; with one, a missing setter proves little.

    `exits` are the places of agents that can end the loop around them, `sources` the files of the functions read.
    """

    setters: Mapping[str, tuple[Setter, ...]]
    open_to: tuple[str, ...] = ()
    exits: frozenset[int] = frozenset()
    sources: frozenset[str] = frozenset()


def state_keys(tree: Tree, effects: Callable[[Place], Mapping[str, Effects]]) -> StateKeys:
    """All that the agents of a tree declare and write. `effects` tells of an agent's functions by their dotted names;
    of one that it leaves out nothing is known, so it may set anything. So may agents that live in code, and the files
    of sub-agents that can't be read."""
    setters: dict[str, list[Setter]] = {}
    open_to = {bad.reference.target: None for bad in tree.bad if bad.fault in ("missing", "unreadable")}
    exits: set[int] = set()
    sources: set[str] = set()
    for key in tree.config.state:
        setters[key] = [Setter(key, "config", "", tree.config.path, NOWHERE)]
    for place in tree:
        for setter in _of_definition(place):
            setters.setdefault(setter.key, []).append(setter)
        if any(tool.name.rpartition(".")[2] == EXIT_LOOP for tool in _tools(place.agent)):
            exits.add(place.index)
        known = effects(place)
        for name, stage in functions(place.agent):
            found = known.get(name, Effects(any=True))
            for key, path, span in ((write.key, write.path, write.span) for write in found.writes):
                setter = Setter(key, "tool", place.agent.name, path, span, place.index, stage)
                setters.setdefault(key, []).append(setter)
            if found.any:
                open_to[name] = None
            if found.escalates:
                exits.add(place.index)
            if found.path:
                sources.add(found.path)
        open_to |= dict.fromkeys(_unread(place.agent))
    return StateKeys(
        {key: tuple(found) for key, found in setters.items()}, tuple(open_to), frozenset(exits), frozenset(sources)
    )


def functions(agent: Agent) -> Iterator[tuple[str, Stage]]:
    """The dotted names of the user's functions that an agent may call, its callbacks included, and when it does."""
    for tool in _tools(agent):
        name = tool.function or tool.name
        if "." in name and not name.startswith("google.adk."):
            yield name, "during"
    for key, names in agent.callbacks.items():
        stage = _CALLBACKS.get(key, "during")
        for name in names:
            yield name, stage
    for name in agent.edge_functions:
        yield name, "during"


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


def _tools(agent: Agent) -> Iterable[Tool]:
    return agent.tools if isinstance(agent.tools, tuple) else ()


def _unread(agent: Agent) -> Iterator[str]:
    """What runs as a part of the agent and can't be read: a list of tools made at run, agents in code, own classes."""
    if isinstance(agent.tools, Provider):
        yield agent.tools.function
    for child in agent.sub_agents:
        if isinstance(child, Reference) and child.kind == "code":
            yield child.target
    if agent.kind == "custom":
        yield agent.agent_class


def _of_definition(place: Place) -> Iterator[Setter]:
    agent = place.agent
    for declared in agent.state:
        yield Setter(declared.key, "state", agent.name, agent.path, declared.span)
    if agent.output_key is not None:
        span = agent.entries["output_key"].value.span
        yield Setter(agent.output_key, "output_key", agent.name, agent.path, span, place.index, "after")
