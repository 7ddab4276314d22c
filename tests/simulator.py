"""A plain simulator of agent trees: it runs them along every path and remembers which keys of state were set.

What the analysis of the flow of state says is held against it, also on small trees that hypothesis draws.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from rolebook.project.state import Stage, StateKeys
from rolebook.project.tree import Place, Tree

KINDS = ("LlmAgent", "LlmAgent", "LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent")

State = frozenset[str]


class World(NamedTuple):
    """What a run can still change: the keys that are set, and who has spoken."""

    state: State
    spoke: frozenset[int] = frozenset()


class Ways(NamedTuple):
    """The worlds in which an agent is done, and those in which it ended the loop around it."""

    end: frozenset[World]
    leave: frozenset[World]


class Simulator:
    """Runs a tree in every way. `seen[p]` are the states at the first request of each visit to place p."""

    def __init__(self, tree: Tree, sets: dict[tuple[int, Stage], State], exits: frozenset[int], dead_end: int | None):
        self.tree = tree
        self.sets = sets
        self.exits = exits
        self.dead_end = dead_end
        self.seen: dict[int, set[State]] = {}
        self.known: dict[tuple[int, World], Ways] = {}

    def adds(self, world: World, place: Place, *stages: Stage) -> World:
        return World(
            world.state.union(*(self.sets.get((place.index, stage), State()) for stage in stages)), world.spoke
        )

    def run(self, place: Place, world: World) -> Ways:
        if (place.index, world) not in self.known:
            self.known[place.index, world] = self.simulate(place, world)
        return self.known[place.index, world]

    def simulate(self, place: Place, world: World) -> Ways:
        if place.agent.kind == "LlmAgent":
            return self.group(place, world)
        begun = self.adds(world, place, "before")
        self.seen.setdefault(place.index, set()).add(begun.state)
        if place.index == self.dead_end:
            return Ways(frozenset(), frozenset())
        steps = self.tree.children(place)
        if place.agent.kind == "ParallelAgent":
            ways = self.parallel(steps, begun)
        elif place.agent.kind == "LoopAgent":
            ways = self.loop(place, steps, begun)
        else:
            ways = self.sequence(steps, begun)
        return Ways(frozenset(self.adds(each, place, "after", "during") for each in ways.end), ways.leave)

    def sequence(self, steps: tuple[Place, ...], world: World) -> Ways:
        at, left = {world}, set()
        for step in steps:
            ways = [self.run(step, each) for each in at]
            at = set().union(*(way.end for way in ways))
            left |= set().union(*(way.leave for way in ways))
        return Ways(frozenset(at), frozenset(left))

    def loop(self, place: Place, steps: tuple[Place, ...], world: World) -> Ways:
        if not steps:
            return Ways(frozenset({world}), frozenset())
        begun: set[World] = set()
        done: set[World] = set()
        pending = {world}
        while pending:
            begun |= pending
            ways = [self.sequence(steps, each) for each in pending]
            round_ends = set().union(*(way.end for way in ways))
            done |= round_ends.union(*(way.leave for way in ways))
            pending = set() if place.agent.max_iterations == 1 else round_ends - begun
        return Ways(frozenset(done), frozenset())

    def parallel(self, steps: tuple[Place, ...], world: World) -> Ways:
        end, leave = set(), set()
        ways = [self.run(step, world) for step in steps]
        for chosen in product(*([(w, False) for w in way.end] + [(w, True) for w in way.leave] for way in ways)):
            worlds = [w for w, _ in chosen] or [world]
            joined = World(State().union(*(w.state for w in worlds)), frozenset().union(*(w.spoke for w in worlds)))
            (leave if any(left for _, left in chosen) else end).add(joined)
        return Ways(frozenset(end), frozenset(leave))

    def group(self, entry: Place, world: World) -> Ways:
        end: set[World] = set()
        leave: set[World] = set()
        pending, known = [(entry, world)], {(entry.index, world)}
        while pending:
            place, at = pending.pop()
            if place.agent.kind != "LlmAgent":
                ways = self.run(place, at)
                end |= ways.end
                leave |= ways.leave
                continue
            begun = self.adds(at, place, "before")
            self.seen.setdefault(place.index, set()).add(begun.state)
            if place.index == self.dead_end:
                continue
            worked = self.adds(begun, place, "during")
            if self.returnable(place.index):
                worked = World(worked.state, worked.spoke | {place.index})
            end.add(self.adds(worked, place, "after"))
            if place.index in self.exits:
                leave.add(worked)
            for target in self.tree.transfer_targets(place):
                if (target.index, worked) not in known:
                    known.add((target.index, worked))
                    pending.append((target, worked))
        return Ways(frozenset(end), frozenset(leave))

    def session(self, start: State) -> None:
        """Any number of turns: the next begins with the root or with who has spoken and may be returned to."""
        pending, known = [(self.tree.root, World(start))], set()
        while pending:
            place, world = pending.pop()
            ways = self.run(place, world)
            for after in ways.end | ways.leave:
                for turn in (self.tree.root, *(self.tree.places[i] for i in after.spoke if self.returnable(i))):
                    if (turn.index, after) not in known:
                        known.add((turn.index, after))
                        pending.append((turn, after))

    def returnable(self, index: int) -> bool:
        lineage = list(self.tree.lineage(self.tree.places[index]))
        return all(at.agent.kind == "LlmAgent" for at in lineage) and not any(
            at.agent.disallow_transfer_to_parent for at in lineage[:-1]
        )


def sets_of(keys: StateKeys) -> dict[tuple[int, Stage], State]:
    sets: dict[tuple[int, Stage], State] = {}
    for key, setters in keys.setters.items():
        for setter in setters:
            assert setter.place is not None
            at = (setter.place, setter.stage)
            sets[at] = sets.get(at, State()) | {key}
    return sets


def leaves_in_parallel(tree: Tree, keys: StateKeys) -> bool:
    return any(at.agent.kind == "ParallelAgent" for index in keys.exits for at in tree.lineage(tree.places[index]))


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """A tree of a few agents: each but the first below an earlier one."""
    agents: list[dict[str, Any]] = []
    for number in range(draw(st.sampled_from((2, 4, 5, 6, 7)))):
        kind = draw(st.sampled_from(KINDS))
        agent: dict[str, Any] = {"name": f"n{number}", "agent_class": kind, "sub_agents": []}
        if kind == "LlmAgent":
            agent["disallow_transfer_to_parent"] = draw(st.integers(0, 2)) == 0
            agent["disallow_transfer_to_peers"] = draw(st.integers(0, 2)) == 0
        if kind == "LoopAgent" and draw(st.booleans()):
            agent["max_iterations"] = 1
        if agents:
            draw(st.sampled_from(agents))["sub_agents"].append(agent)
        agents.append(agent)
    return agents[0]
