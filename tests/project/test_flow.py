"""The flow of state against a plain simulator, which runs small trees along every path and remembers what was set."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from build import tree
from hypothesis import given, settings
from hypothesis import strategies as st

from rolebook.project.flow import Flow
from rolebook.project.state import Setter, Stage, StateKeys, state_keys
from rolebook.project.tree import Place, Tree
from rolebook.text import NOWHERE

KEYS = ("a", "b", "c", "d", "e")
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


class Drawn(NamedTuple):
    """A tree and who sets its keys, shown by its definition."""

    definition: dict[str, Any]
    tree: Tree
    keys: StateKeys

    def __repr__(self) -> str:
        sets = [(setter.agent, setter.stage, key) for key, found in self.keys.setters.items() for setter in found]
        return f"{self.definition} sets {sets} exits {sorted(self.keys.exits)}"


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    definition = draw(definitions())
    built = tree(definition)
    places = [place.index for place in built]
    stages: list[Stage] = ["before", "during", "after"]
    setters: dict[str, list[Setter]] = {}
    for key in KEYS:
        for index in draw(st.lists(st.sampled_from(places), min_size=1, max_size=2)):
            name = built.places[index].agent.name
            setter = Setter(key, "tool", name, "", NOWHERE, index, draw(st.sampled_from(stages)))
            setters.setdefault(key, []).append(setter)
    llm = [place.index for place in built if place.agent.kind == "LlmAgent"]
    exits = draw(st.frozensets(st.sampled_from(llm), max_size=2)) if llm else frozenset()
    return Drawn(definition, built, StateKeys({key: tuple(found) for key, found in setters.items()}, exits=exits))


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


@settings(max_examples=150)
@given(drawn())
def test_what_is_surely_set_is_set_on_every_path(world: Drawn) -> None:
    _, built, keys = world
    flow, sets = Flow(built, keys), sets_of(keys)
    simulator = Simulator(built, sets, keys.exits, None)
    simulator.run(built.root, World(State()))
    for place in built:
        states = simulator.seen[place.index]
        for key in keys.setters:
            told = flow.ask(place, key).verdict == "set"
            always = all(key in state for state in states)
            assert told == always or (always and leaves_in_parallel(built, keys))


@settings(max_examples=150)
@given(drawn())
def test_what_comes_later_is_never_there_before(world: Drawn) -> None:
    _, built, keys = world
    flow, sets = Flow(built, keys), sets_of(keys)
    for place in built:
        asked = {key: flow.ask(place, key).verdict for key in keys.setters}
        if set(asked.values()) <= {"set"}:
            continue
        simulator = Simulator(built, sets, keys.exits, place.index)
        simulator.session(State())
        before = simulator.seen.get(place.index, set())
        for key, verdict in asked.items():
            if verdict != "set":
                assert (verdict == "sometimes") == any(key in state for state in before), (place.agent.name, key)


@settings(max_examples=80)
@given(drawn())
def test_a_way_without_a_setter_avoids_all_setters(world: Drawn) -> None:
    _, built, keys = world
    flow = Flow(built, keys)
    for place in built:
        for key in keys.setters:
            answer = flow.ask(place, key)
            during = {setter.agent for setter in answer.setters if setter.stage in ("before", "during")}
            assert not during & set(answer.path)


def large(depth: int, numbers: Iterator[int]) -> dict[str, Any]:
    """Sequences of parallels of loops of agents that hand over to each other; each agent writes a key of its own."""
    kind = ("SequentialAgent", "ParallelAgent", "LoopAgent", "LlmAgent", "LlmAgent")[depth]
    number = next(numbers)
    agent: dict[str, Any] = {"name": f"n{number}", "agent_class": kind}
    if kind == "LlmAgent":
        agent |= {"output_key": f"k{number}", "instruction": "x"}
    if depth < 4:
        agent["sub_agents"] = [large(depth + 1, numbers) for _ in range(3 if depth < 3 else 6)]
    return agent


def test_two_hundred_agents_are_analysed_to_a_fixed_point() -> None:
    built = tree(large(0, iter(range(1000))))
    assert len(built.places) > 200
    keys = state_keys(built, lambda _: {})
    flow = Flow(built, keys)
    first, second = built.children(built.root)[:2]
    loop, beside = built.children(first)[:2]
    for place in built:
        key = place.agent.output_key
        if key is None or first not in built.lineage(place):
            continue
        assert flow.ask(second, key).verdict == "sometimes"  # since a step may hand over instead of answering
        assert flow.ask(first, key).verdict == "later"
        if loop in built.lineage(place):
            assert flow.ask(beside, key).verdict == "parallel"
