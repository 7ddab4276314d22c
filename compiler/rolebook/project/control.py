"""In which order the agents of a tree may run, as a graph of points that control passes (spec §3, §4 and §8).

Each place has four points: `begin`, its first request; `work`, once that is answered; `end`, where it and whoever it
handed over to are done; `leave`, where one of them ended the loop around it. An agent that is done answers the user,
or lets the workflow go on that it is a step of.

Handing over stays among LlmAgents that are parents and children of each other, and the workflows right below them;
such a group is done as soon as one of it answers, and then the next turn begins with the root.

Handing over to a peer or back to the parent has no edges here, nor has a turn that begins with whoever spoke last: who
gets there that way could be reached from above as well, and state only grows. So a graph is no larger than its tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from rolebook.definition.agent import WORKFLOWS
from rolebook.project.tree import Place, Tree

Join = Literal["any", "all", "assumed"]
"""Whether one way to a point suffices, or all are taken (children of a ParallelAgent). Tools are `assumed` to be
called: what an agent that works as a tool does is taken as done, though the model may not call it."""


class Points(NamedTuple):
    """The points of one place. `answer` is where an LlmAgent has said its last word."""

    begin: int
    work: int
    answer: int
    end: int
    leave: int


class Control:
    """The graph. `sources[p]` are the points that lead to point `p`, `joins[p]` says how many of them are needed.

    `exits` are the places of agents that can end the loop around them.
    """

    def __init__(self, tree: Tree, exits: frozenset[int]) -> None:
        self.sources: list[list[int]] = []
        self.joins: list[Join] = []
        self.start = self._point()
        self.of = [Points(*(self._point() for _ in Points._fields)) for _ in tree]
        self._tree = tree
        self._exits = exits
        self._leaves = self._which_leave()
        self._groups = self._which_groups()
        self._tools: dict[int, list[int]] = {}
        for place in tree:
            if place.tool_of is not None:
                self._tools.setdefault(place.tool_of, []).append(place.index)
        root = self.of[0]
        self._lead(root.begin, self.start, root.end, root.leave)
        for place in tree:
            if place.agent.kind == "LlmAgent":
                self._answers(place)
            else:
                self._steps(place, tree.children(place))

    @cached_property
    def targets(self) -> list[list[int]]:
        """The points that each point leads to."""
        targets: list[list[int]] = [[] for _ in self.sources]
        for point, sources in enumerate(self.sources):
            for source in sources:
                targets[source].append(point)
        return targets

    @cached_property
    def order(self) -> list[int]:
        """All points, each before those that it leads to but for the ways back."""
        done: list[int] = []
        seen = {self.start}
        pending = [(self.start, iter(self.targets[self.start]))]
        while pending:
            point, targets = pending[-1]
            following = next((target for target in targets if target not in seen), None)
            if following is None:
                done.append(point)
                pending.pop()
            else:
                seen.add(following)
                pending.append((following, iter(self.targets[following])))
        return done[::-1]

    @cached_property
    def rank(self) -> dict[int, int]:
        """Where each point that can be reached stands in `order`."""
        return {point: rank for rank, point in enumerate(self.order)}

    def _point(self, join: Join = "any", sources: Iterable[int] = ()) -> int:
        self.sources.append(list(sources))
        self.joins.append(join)
        return len(self.sources) - 1

    def _lead(self, point: int, *sources: int) -> None:
        self.sources[point] += sources

    def _which_leave(self) -> list[bool]:
        """By place, whether a loop around it may be ended from there or from below."""
        leaves = [place.index in self._exits for place in self._tree]
        for place in reversed(self._tree.places):
            if place.parent is not None and leaves[place.index] and place.agent.kind != "LoopAgent":
                leaves[place.parent] = True
        return leaves

    def _which_groups(self) -> list[int]:
        """By place, the topmost LlmAgent of the group that hands over among each other; itself for any other."""
        groups: list[int] = []
        for place in self._tree:
            parent = self._tree.parent(place)
            inside = parent is not None and parent.agent.kind == "LlmAgent"
            groups.append(groups[parent.index] if parent is not None and inside else place.index)
        return groups

    def _answers(self, place: Place) -> None:
        """An LlmAgent asks, works, and answers, hands over or ends the loop around its group."""
        own, group = self.of[place.index], self.of[self._groups[place.index]]
        self._lead(own.work, own.begin)
        self._lead(own.answer, own.work)
        self._lead(group.end, own.answer)
        if place.index in self._exits:
            self._lead(group.leave, own.work)
        for tool in self._tools.get(place.index, ()):
            self.joins[own.work] = "assumed"
            self._lead(self.of[tool].begin, own.begin, own.work)
            self._lead(own.work, self.of[tool].end)
        for child in self._tree.children(place):
            points = self.of[child.index]
            self._lead(points.begin, own.work)
            if child.agent.kind != "LlmAgent":
                self._lead(group.end, points.end)
                self._lead(group.leave, points.leave)

    def _steps(self, place: Place, steps: tuple[Place, ...]) -> None:
        """A workflow agent runs its steps in order or all at once. How another class runs them isn't known."""
        own = self.of[place.index]
        if place.agent.kind not in WORKFLOWS:
            self._unknown(own, steps)
        elif place.agent.kind == "ParallelAgent" and steps:
            self._parallel(own, steps)
        else:
            at = own.begin
            for step in steps:
                points = self.of[step.index]
                self._lead(points.begin, at)
                self._lead(own.end if place.agent.kind == "LoopAgent" else own.leave, points.leave)
                at = points.end
            self._lead(own.end, at)
            if place.agent.kind == "LoopAgent" and steps and place.agent.max_iterations != 1:
                self._lead(self.of[steps[0].index].begin, at)

    def _unknown(self, own: Points, steps: tuple[Place, ...]) -> None:
        self.joins[own.end] = "assumed"
        self._lead(own.end, own.begin)
        for step in steps:
            points = self.of[step.index]
            self._lead(points.begin, own.begin)
            self._lead(own.end, points.end)
            self._lead(own.leave, points.leave)

    def _parallel(self, own: Points, steps: tuple[Place, ...]) -> None:
        self.joins[own.end] = "all"
        for step in steps:
            self._lead(self.of[step.index].begin, own.begin)
            self._lead(own.end, self.of[step.index].end)
        if any(self._leaves[step.index] for step in steps):
            self.joins[own.leave] = "all"
            for step in steps:
                points = self.of[step.index]
                self._lead(own.leave, self._point("any", [points.end, points.leave]))
