"""The instruction texts of an agent, and what stands in them; rules about placeholders and transfers look here."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.syntax.template import Placeholder, placeholders
from rolebook.text import MappedText, Span


class Occurrence(Record):
    """A placeholder, and the text that it stands in."""

    placeholder: Placeholder
    text: MappedText

    @property
    def span(self) -> Span:
        """Where it stands in the file."""
        return self.text.source(*self.placeholder.span)

    @property
    def key_span(self) -> Span:
        return self.text.source(*self.placeholder.key_span)


def instruction_texts(place: Place) -> tuple[MappedText, ...]:
    """The texts of this agent that are substituted; a provider's text is known only at run."""
    texts = (place.agent.global_instruction, place.agent.instruction)
    return tuple(text for text in texts if isinstance(text, MappedText))


def substituted(tree: Tree, place: Place) -> Iterator[Occurrence]:
    """The placeholders in the agent's instruction and global instruction.

    `{3}` is filled as well where state has such a key, but a name that starts with a digit nearly always stands in a
    regular expression or a formula, so it is left out.
    """
    for text in instruction_texts(place):
        for placeholder in placeholders(text.text, tree.template_syntax(place)):
            if placeholder.artifact or not placeholder.key[0].isdigit():
                yield Occurrence(placeholder, text)
