"""Which keys of state the agents of a tree read, as far as definitions and Python sources tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rolebook.definition.agent import Agent, Provider
from rolebook.project.state import StateKeys, functions
from rolebook.project.tree import Tree
from rolebook.record import Record
from rolebook.syntax.near_template import near_placeholders
from rolebook.syntax.template import TemplateSyntax, placeholders
from rolebook.text import MappedText

if TYPE_CHECKING:
    from rolebook.project.python import Sources


class Uses(Record):
    """The keys that placeholders name, and the texts of the modules whose functions run and may read state.

    `complete` is False where something runs whose source isn't at hand: it may read any key.
    """

    keys: frozenset[str]
    modules: tuple[str, ...] = ()
    complete: bool = True

    def may_read(self, key: str) -> bool:
        """Whether anything may read the key. A module reads it as soon as it spells it anywhere."""
        return not self.complete or key in self.keys or any(key in module for module in self.modules)


def state_uses(tree: Tree, keys: StateKeys, python: Callable[[str], Sources], text_of: Callable[[str], str]) -> Uses:
    """All that a tree reads. `python` gives the sources that a definition's dotted names lead to, `text_of` a file."""
    named: set[str] = set()
    modules: dict[str, None] = {}
    complete = not keys.open_to
    for place in tree:
        agent = place.agent
        for text in (agent.instruction, agent.global_instruction):
            if isinstance(text, MappedText):
                named.update(found.key for found in placeholders(text.text, tree.template_syntax(place)))
        named.update(_meant(agent, tree.template_syntax(place)))
        for name in _functions(agent):
            source = python(agent.path).function(name)
            if source is None:
                complete = False
            else:
                modules[source.path] = None
    return Uses(frozenset(named), tuple(map(text_of, modules)), complete)


def _meant(agent: Agent, syntax: TemplateSyntax) -> Iterator[str]:
    """Keys of what was meant as a placeholder: other rules tell why it is none, so it isn't unused as well."""
    for text in (agent.instruction, agent.global_instruction, agent.identity, agent.static_instruction):
        if isinstance(text, MappedText):
            yield from (near.key for near in near_placeholders(text.text, syntax))
            yield from (found.key for found in placeholders(text.text, "braces"))
            yield from (found.key for found in placeholders(text.text, "angles"))
    yield from (found.key for found in placeholders(agent.description, syntax))


def _functions(agent: Agent) -> Iterator[str]:
    """All functions of the user's that get a context."""
    yield from (name for name, _ in functions(agent))
    providers: Iterable[object] = (agent.instruction, agent.global_instruction, agent.tools)
    for provider in providers:
        if isinstance(provider, Provider):
            yield provider.function
