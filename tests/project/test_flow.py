"""The flow of state against a plain simulator, which runs small trees along every path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from build import tree
from hypothesis import given, settings
from hypothesis import strategies as st
from simulator import Simulator, State, World, definitions, leaves_in_parallel, sets_of

from rolebook.project.flow import Flow
from rolebook.project.state import Setter, Stage, StateKeys, state_keys
from rolebook.project.tree import Tree
from rolebook.text import NOWHERE

KEYS = ("a", "b", "c", "d", "e")


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
