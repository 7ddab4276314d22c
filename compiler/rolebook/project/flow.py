"""Which keys of state are set when an agent makes its first request: data flow over the tree in execution order.

A key is surely set where each way from the start of a conversation passes a setter of it. Whether it can be set at all
before an agent's first request, in this turn or in an earlier one, is asked on a graph in which the agent itself is a
dead end.

A tool is taken to be called by the agent that has it, and a function to reach the lines that write to state: else
nothing that a model decides would ever count as set. `temp:` keys belong to one run of one agent (spec §8).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from rolebook.definition.agent import WORKFLOWS
from rolebook.project.control import Control
from rolebook.project.state import Setter, StateKeys
from rolebook.project.tree import Place, Tree

TEMP = "temp:"

Verdict = Literal["set", "sometimes", "later", "parallel", "elsewhere"]
"""Of a key that has setters, before an agent's first request: `set` on every way, `sometimes` on some of them, only
`later`, only by agents that run in `parallel`; `elsewhere` is a `temp:` key of other agents."""

_MOST_WORK = 500_000
"""Points that may be visited to tell `sometimes` from `later` in one tree; past this it is `sometimes`."""


_LLM_STAGES = {"before": "begin", "during": "work", "after": "answer"}
_OTHER_STAGES = {"before": "begin", "during": "end", "after": "end"}
"""The point of a place at which a setter of each stage counts."""


class Answer(NamedTuple):
    """A verdict. `setters` are those that it rests on; `path` names agents that can run before, without any setter."""

    verdict: Verdict
    setters: tuple[Setter, ...]
    path: tuple[str, ...] = ()


class Flow:
    """The analysis of one tree; what is asked twice is worked out once."""

    def __init__(self, tree: Tree, keys: StateKeys) -> None:
        self._tree = tree
        self._keys = keys
        self._bits = {key: 1 << number for number, key in enumerate(keys.setters) if not key.startswith(TEMP)}
        self._answers: dict[tuple[int, str], Answer] = {}
        self._reachable_before: dict[int, int | None] = {}

    def ask(self, place: Place, key: str) -> Answer:
        """When `key`, which has a setter, is set as seen from the first request of the agent at `place`."""
        asked = (place.index, key)
        if asked not in self._answers:
            self._answers[asked] = self._answer(place, key)
        return self._answers[asked]

    def _answer(self, place: Place, key: str) -> Answer:
        setters = self._keys.setters[key]
        if any(setter.stage == "start" for setter in setters):
            return Answer("set", setters)
        if key.startswith(TEMP):
            return self._temporary(place, setters)
        bit, begin = self._bits[key], self._graph.of[place.index].begin
        if (self._surely[begin] or 0) & bit:
            return Answer("set", setters)
        if self._maybe(place) & bit:
            return Answer("sometimes", setters, self._path(begin, bit))
        beside = tuple(setter for setter in setters if self._beside(place, setter))
        return Answer("parallel", beside) if beside else Answer("later", setters)

    def _temporary(self, place: Place, setters: Sequence[Setter]) -> Answer:
        own = tuple(setter for setter in setters if setter.place == place.index)
        if not own:
            return Answer("elsewhere", tuple(setters))
        return Answer("set" if any(setter.stage == "before" for setter in own) else "later", own)

    def _beside(self, place: Place, setter: Setter) -> bool:
        """Whether the setter's agent runs at the same time as the one at `place`: below one ParallelAgent, apart."""
        if setter.place is None or setter.place == place.index:
            return False
        own = self._above(place.index)
        for index in self._above(setter.place):
            if index in own:
                apart = index not in (place.index, setter.place)
                return apart and self._tree.places[index].agent.kind == "ParallelAgent"
        return False

    def _above(self, index: int) -> list[int]:
        """The place and all that contain it, innermost first; an agent that is a tool lies below its user."""
        found = [index]
        while (above := self._tree.places[index].parent) is not None or (
            above := self._tree.places[index].tool_of
        ) is not None:
            found.append(above)
            index = above
        return found

    @cached_property
    def _graph(self) -> Control:
        return Control(self._tree, self._keys.exits)

    @cached_property
    def _surely(self) -> list[int | None]:
        return _solve(self._graph, self._sets, surely=True)

    def _maybe(self, place: Place) -> int:
        """The keys that can be set before the place's first request."""
        begin = self._graph.of[place.index].begin
        if place.index not in self._reachable_before:
            if len(self._reachable_before) * len(self._graph.sources) >= _MOST_WORK:
                return self._ever[begin] or 0
            values = _solve(self._graph, self._sets, surely=False, dead_end=begin)
            self._reachable_before[place.index] = values[begin]
        return self._reachable_before[place.index] or 0

    @cached_property
    def _ever(self) -> list[int | None]:
        """The keys that can be set at all once each point is passed."""
        return _solve(self._graph, self._sets, surely=False)

    @cached_property
    def _sets(self) -> list[int]:
        """The keys that are set at each point, as bits."""
        graph = self._graph
        sets = [0] * len(graph.sources)
        below = [0] * len(graph.of)
        for key, bit in self._bits.items():
            for setter in self._keys.setters[key]:
                if setter.place is None:
                    sets[graph.start] |= bit
                    continue
                points, kind = graph.of[setter.place], self._tree.places[setter.place].agent.kind
                at = _LLM_STAGES if kind == "LlmAgent" else _OTHER_STAGES
                sets[getattr(points, at[setter.stage])] |= bit
                below[setter.place] |= bit
        for place in reversed(self._tree.places):
            if place.parent is not None:
                below[place.parent] |= below[place.index]
        for place in self._tree:  # the order in which a user's class runs its agents isn't known: any of it may do
            parent = self._tree.parent(place)
            if parent is not None and parent.agent.kind not in WORKFLOWS and parent.agent.kind != "LlmAgent":
                sets[graph.of[place.index].begin] |= below[parent.index]
        return sets

    @cached_property
    def _names(self) -> dict[int, str]:
        """The agents by the points at which they have run."""
        return {self._graph.of[place.index].work: place.agent.name for place in self._tree}

    def _path(self, begin: int, bit: int) -> tuple[str, ...]:
        """Agents that run before, on a shortest way from the start on which the key isn't set."""
        graph, values = self._graph, self._surely
        towards: dict[int, int] = {begin: begin}
        pending = deque([begin])
        while pending:
            point = pending.popleft()
            if point == graph.start:
                break
            for source in graph.sources[point]:
                value = values[source]
                if source not in towards and value is not None and not value & bit:
                    towards[source] = point
                    pending.append(source)
        names, at = [], graph.start
        while at in towards and at != begin:
            at = towards[at]
            names += [self._names[at]] if at in self._names else []
        return tuple(names)


def _solve(graph: Control, sets: Sequence[int], *, surely: bool, dead_end: int | None = None) -> list[int | None]:
    """The keys set once each point is passed, None for a point that is never reached.

    `surely` gives those that are set on every way, else those that are on any. Control doesn't go on from `dead_end`.
    """
    needs_all = [join == "all" or (surely and join == "assumed") for join in graph.joins]
    values: list[int | None] = [None] * len(graph.sources)
    values[graph.start] = sets[graph.start]
    pending = [graph.rank[target] for target in graph.targets[graph.start]]
    queued = set(pending)
    while pending:
        rank = heappop(pending)
        queued.discard(rank)
        point = graph.order[rank]
        found = [
            value for source in graph.sources[point] if source != dead_end and (value := values[source]) is not None
        ]
        if not found or (needs_all[point] and len(found) < len(graph.sources[point])):
            continue
        joined = found[0]
        for value in found[1:]:
            joined = joined & value if surely and not needs_all[point] else joined | value
        joined |= sets[point]
        if joined != values[point]:
            values[point] = joined
            for target in graph.targets[point]:
                if (rank := graph.rank[target]) not in queued:
                    queued.add(rank)
                    heappush(pending, rank)
    return values
