"""The texts of a file's agents, each once, with what is known of state where they stand.

A file may be part of several trees, so one agent may stand in several places.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache

from rolebook.definition.agent import Agent
from rolebook.definition.values import items_of, mapped_of
from rolebook.project.state import StateKeys
from rolebook.record import Record
from rolebook.rules.rule import Subject
from rolebook.syntax.code import Code
from rolebook.syntax.template import TemplateSyntax
from rolebook.syntax.yaml import Mapping
from rolebook.text import MappedText

_DECLARED = frozenset({"state", "config"})


class Around(Record, caches=True):
    """An agent, and the state keys of the trees that it stands in; `syntax` is how placeholders are written there."""

    agent: Agent
    syntax: TemplateSyntax
    states: tuple[StateKeys, ...]

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys that something sets in one of the trees."""
        return frozenset(key for state in self.states for key in state.setters)

    def is_declared(self, key: str) -> bool:
        """Whether the key is there from the start, wherever the agent stands; so a fix that uses it is certain."""
        return all(any(setter.kind in _DECLARED for setter in state.setters.get(key, ())) for state in self.states)

    @property
    def substituted(self) -> tuple[MappedText, ...]:
        """The instruction texts."""
        texts = (self.agent.global_instruction, self.agent.instruction)
        return tuple(text for text in texts if isinstance(text, MappedText))

    @property
    def fixed(self) -> Iterator[tuple[str, MappedText]]:
        """The texts that a model reads as they stand, with what a message calls them."""
        agent = self.agent
        description = mapped_of(agent.entries.get("description"))
        named = (("identity", agent.identity), ("description", description))
        for name, text in (*named, ("static_instruction", agent.static_instruction)):
            if text is not None:
                yield f"`{name}`", text
        yield from _tool_descriptions(agent)


def agents_around(subject: Subject) -> Iterator[Around]:
    """The file's agents, each once for each syntax that it is read in."""
    places: dict[tuple[int, TemplateSyntax], tuple[Agent, dict[int, StateKeys]]] = {}
    for tree, place in subject.places():
        syntax: TemplateSyntax = "braces" if tree.config.runtime == "adk-python" else tree.template_syntax(place)
        _, states = places.setdefault((id(place.agent), syntax), (place.agent, {}))
        states[id(tree)] = subject.snapshot.state_keys(tree)
    for (_, syntax), (agent, states) in places.items():
        yield Around(agent, syntax, tuple(states.values()))


@lru_cache(maxsize=64)
def code_in(text: str) -> Code:
    """The code in a text, looked for once for all rules that ask."""
    return Code(text)


def _tool_descriptions(agent: Agent) -> Iterator[tuple[str, MappedText]]:
    for item in items_of(agent.entries.get("tools")):
        text = mapped_of(item.get("description")) if isinstance(item, Mapping) else None
        if text is not None:
            yield "a tool's `description`", text
