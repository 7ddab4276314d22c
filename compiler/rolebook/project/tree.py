"""The tree of agents that references and inline definitions make, with branches, inheritance and transfer targets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from rolebook.definition.agent import Agent, Instruction, Reference
from rolebook.project.config import Config
from rolebook.project.endings import endless_loops, waiting
from rolebook.project.references import resolve
from rolebook.project.source import Source
from rolebook.record import Record, field, replace
from rolebook.syntax.template import TemplateSyntax
from rolebook.text import Span

_MOST_PLACES = 10_000
"""Places in one tree; diamonds of references multiply, and past this a tree is an attack or a mistake."""
_MOST_WITH_CYCLE = 500
"""Places in a tree in which a file is below itself: it can't be run, and each way round would be another."""

Fault = Literal["missing", "unreadable", "cycle", "escapes", "absolute", "too large"]


class Place(Record):
    """An agent where it stands in a tree. One definition may stand at several places; `index` tells them apart."""

    index: int
    agent: Agent
    branch: str
    parent: int | None = None
    children: tuple[int, ...] = ()
    reference: Reference | None = None
    tool_of: int | None = None
    """The place of the agent that uses this one as a tool. Such a place has no parent: it inherits nothing."""


class BadReference(Record):
    """A reference that leads nowhere, or to where it shouldn't; `target` is the path that it means."""

    path: str
    reference: Reference
    fault: Fault
    target: str
    detail: str = ""


class Tree(Record, caches=True):
    """The places, the root first and parents before children.

    `files` are all paths that were looked at for it; `config` is what holds for the root's file.
    """

    places: tuple[Place, ...]
    bad: tuple[BadReference, ...] = ()
    files: frozenset[str] = field(default_factory=frozenset)
    config: Config = field(default_factory=Config)

    @property
    def root(self) -> Place:
        return self.places[0]

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def parent(self, place: Place) -> Place | None:
        return self.places[place.parent] if place.parent is not None else None

    def children(self, place: Place) -> tuple[Place, ...]:
        return tuple(self.places[index] for index in place.children)

    def tool_agents(self, place: Place) -> tuple[Place, ...]:
        """The agents that an agent uses as tools."""
        return self._by_user.get(place.index, ())

    def lineage(self, place: Place) -> Iterator[Place]:
        """The place itself, its parent, and so on up to the root."""
        at: Place | None = place
        while at is not None:
            yield at
            at = self.parent(at)

    def named(self, name: str) -> Place | None:
        """The first place, from the root down, whose agent has this name."""
        return next(iter(self._by_name.get(name, ())), None)

    def all_named(self, name: str) -> tuple[Place, ...]:
        """All places whose agents have this name, from the root down."""
        return self._by_name.get(name, ())

    def of(self, agent: Agent) -> tuple[Place, ...]:
        """Where this very definition stands."""
        return tuple(place for place in self.in_file(agent.path) if place.agent.span == agent.span)

    def in_file(self, path: str) -> tuple[Place, ...]:
        """The places whose definitions stand in the file at `path`."""
        return self._by_path.get(path, ())

    @cached_property
    def namesakes(self) -> tuple[tuple[Place, Place], ...]:
        """Each place whose name an earlier place has already, with the first of that name.

        Agents that are used as tools don't count: nobody hands over to them.
        """
        groups = ([p for p in places if self._root_of(p) is self.root] for places in self._by_name.values())
        return tuple((place, places[0]) for places in groups for place in places[1:])

    @cached_property
    def unread(self) -> frozenset[tuple[str, Span]]:
        """The references that lead to no agent, by the files and places where they stand."""
        faults = ("escapes", "absolute")
        return frozenset((bad.path, bad.reference.span) for bad in self.bad if bad.fault not in faults)

    @cached_property
    def endless_loops(self) -> frozenset[int]:
        """The places of loops that nothing can end."""
        return endless_loops(self)

    @cached_property
    def waiting(self) -> Mapping[int, int]:
        """The places of steps that never get their turn, each with the place of the loop that they wait for."""
        return waiting(self, self.endless_loops)

    def _root_of(self, place: Place) -> Place:
        return list(self.lineage(place))[-1]

    @cached_property
    def _by_user(self) -> Mapping[int, tuple[Place, ...]]:
        found: dict[int, list[Place]] = {}
        for place in self.places:
            if place.tool_of is not None:
                found.setdefault(place.tool_of, []).append(place)
        return {index: tuple(places) for index, places in found.items()}

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Place, ...]]:
        return _grouped((place.agent.name, place) for place in self.places if place.agent.name)

    @cached_property
    def _by_path(self) -> Mapping[str, tuple[Place, ...]]:
        return _grouped((place.agent.path, place) for place in self.places)

    def model(self, place: Place) -> str | None:
        """The model in force: the agent's own, the nearest ancestor's that sets one, or the one that `[run]` gives."""
        own = next((at.agent.model for at in self.lineage(place) if at.agent.model is not None), None)
        given = self.config.run.get("model")
        return own or (given if isinstance(given, str) else None)

    def global_instruction(self, place: Place) -> tuple[Instruction, Place] | None:
        """The global instruction in force and the place that sets it."""
        for at in self.lineage(place):
            if at.agent.global_instruction is not None:
                return at.agent.global_instruction, at
        return None

    def template_syntax(self, place: Place) -> TemplateSyntax:
        """How placeholders are written in this place's texts."""
        own = (at.agent.template_syntax for at in self.lineage(place) if at.agent.template_syntax)
        return next(own, self.config.template_syntax)

    def transfer_targets(self, place: Place) -> tuple[Place, ...]:
        """Whom the agent can hand over to (spec §3): sub-agents, then the parent, then the peers.

        A workflow agent hands over to nobody, and a parent that is no LlmAgent is no target and gives no peers.
        """
        if place.agent.kind != "LlmAgent":
            return ()
        targets = list(self.children(place))
        parent = self.parent(place)
        if parent is not None and parent.agent.kind == "LlmAgent":
            if not place.agent.disallow_transfer_to_parent:
                targets.append(parent)
            if not place.agent.disallow_transfer_to_peers:
                targets += [peer for peer in self.children(parent) if peer.index != place.index]
        return tuple(target for target in targets if target.agent.name)

    def is_target(self, place: Place, target: Place) -> bool:
        """Whether `target` is one of the transfer targets of `place`, found without listing them all."""
        agent, parent = place.agent, self.parent(place)
        if agent.kind != "LlmAgent" or not target.agent.name:
            return False
        if target.parent == place.index:
            return True
        if parent is None or parent.agent.kind != "LlmAgent":
            return False
        if target.index == parent.index:
            return not agent.disallow_transfer_to_parent
        is_peer = target.parent == parent.index and target.index != place.index
        return is_peer and not agent.disallow_transfer_to_peers

    def unknown_targets(self, place: Place) -> tuple[Reference, ...]:
        """Transfer targets whose names only a run knows: sub-agents of the agent, or beside it, that live in code."""
        if place.agent.kind != "LlmAgent":
            return ()
        found = _in_code(place.agent)
        parent = self.parent(place)
        if parent is not None and parent.agent.kind == "LlmAgent" and not place.agent.disallow_transfer_to_peers:
            found += _in_code(parent.agent)
        return found


def _in_code(agent: Agent) -> tuple[Reference, ...]:
    return tuple(child for child in agent.sub_agents if isinstance(child, Reference) and child.kind == "code")


def _grouped(pairs: Iterable[tuple[str, Place]]) -> Mapping[str, tuple[Place, ...]]:
    groups: dict[str, list[Place]] = {}
    for key, place in pairs:
        groups.setdefault(key, []).append(place)
    return {key: tuple(places) for key, places in groups.items()}


class Sources(Protocol):
    """What a tree is built from; a snapshot is one."""

    def source(self, path: str) -> Source | None: ...

    def exists(self, path: str) -> Literal["file", "unreadable"] | None: ...

    def config(self, path: str) -> Config: ...


def build_tree(sources: Sources, path: str) -> Tree | None:
    """The tree below the definition at `path`, None where there is none. Bad references are left out and listed."""
    source = sources.source(path)
    if source is None:
        return None
    builder = _Builder(sources)
    builder.build(source.agent)
    children: dict[int, list[int]] = {}
    for place in builder.places:
        if place.parent is not None:
            children.setdefault(place.parent, []).append(place.index)
    places = tuple(replace(place, children=tuple(children.get(place.index, ()))) for place in builder.places)
    return Tree(places, tuple(builder.bad), frozenset(builder.files | {path}), sources.config(path))


class _Pending(NamedTuple):
    """An agent that waits for its place: below `owner`, or as one of its tools.

    `above` are the files on the way to it, by which a cycle is seen.
    """

    agent: Agent
    owner: Place | None
    is_tool: bool
    reference: Reference | None
    above: tuple[str, ...]


class _Builder:
    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.places: list[Place] = []
        self.bad: list[BadReference] = []
        self.files: set[str] = set()
        self.most = _MOST_PLACES

    def build(self, root: Agent) -> None:
        """Adds the root and all below it, parents before children, without recursion: a chain may be long."""
        pending: list[_Pending] = [_Pending(root, None, False, None, (root.path,))]
        while pending:
            agent, owner, is_tool, reference, above = pending.pop()
            index = owner.index if owner is not None else None
            parent, tool_of = (None, index) if is_tool else (index, None)
            place = Place(len(self.places), agent, _branch(agent, owner), parent, (), reference, tool_of)
            self.places.append(place)
            below: list[_Pending] = []
            for child in agent.sub_agents:
                if isinstance(child, Agent):
                    below.append(_Pending(child, place, False, None, above))
                elif child.kind == "config_path":
                    below += self._follow(child, place, above)
            for tool in agent.tools if isinstance(agent.tools, tuple) else ():
                if tool.agent is not None:
                    below += (each._replace(is_tool=True) for each in self._follow(tool.agent, place, above))
            pending += reversed(below)

    def _follow(self, reference: Reference, place: Place, above: tuple[str, ...]) -> Iterator[_Pending]:
        """The agent that a reference of `place` leads to, if it leads to one; what is wrong with it is noted."""
        referrer = place.agent.path
        folder = os.path.dirname(referrer)
        target = resolve(referrer, reference.target)
        self.files.add(target)
        if os.path.isabs(reference.target):
            self._reject(referrer, reference, "absolute", target)
        elif not target.startswith(folder.rstrip(os.sep) + os.sep):
            self._reject(referrer, reference, "escapes", target)
        if target in above:
            self.most = _MOST_WITH_CYCLE
            self._reject(referrer, reference, "cycle", target)
        elif (found := self.sources.exists(target)) != "file":
            self._reject(referrer, reference, "unreadable" if found else "missing", target)
        elif len(self.places) >= self.most:
            self._reject(referrer, reference, "too large", target, f"the tree has more than {self.most:,} agents")
        elif (source := self.sources.source(target)) is not None:
            yield _Pending(source.agent, place, False, reference, (*above, target))

    def _reject(self, path: str, reference: Reference, fault: Fault, target: str, detail: str = "") -> None:
        self.bad.append(BadReference(path, reference, fault, target, detail))


def _branch(agent: Agent, parent: Place | None) -> str:
    """A branch is an agent's path in its tree. It starts at `root`, which the top-level agent may be called itself."""
    if parent is not None:
        return f"{parent.branch}.{agent.name}"
    return "root" if agent.name == "root" else f"root.{agent.name}"
