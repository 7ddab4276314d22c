"""What the rules about a placeholder's key share: placeholders whose key is set by someone, but not surely in time."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Fix, Related, Severity
from rolebook.project.flow import Answer, Verdict
from rolebook.project.state import Setter
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.texts import Occurrence, substituted
from rolebook.text import Edit, Span


class Untimely(Record):
    """A placeholder that must have its key, where it stands, and what the flow of state says of that key."""

    tree: Tree
    place: Place
    found: Occurrence
    answer: Answer

    @property
    def key(self) -> str:
        return self.found.placeholder.key


def needed(tree: Tree, place: Place) -> Iterator[Occurrence]:
    """The placeholders in an agent's texts that stay as they are when their key isn't set."""
    for found in substituted(tree, place):
        placeholder = found.placeholder
        if not (placeholder.escaped or placeholder.optional or placeholder.artifact):
            yield found


def untimely(subject: Subject, *verdicts: Verdict) -> Iterator[Untimely]:
    """The placeholders of the file whose key has a setter, and one of these verdicts."""
    for tree, place in subject.places():
        keys, flow = subject.snapshot.state_keys(tree), subject.snapshot.flow(tree)
        for found in needed(tree, place):
            key = found.placeholder.key
            if key in keys.setters:
                answer = flow.ask(place, key)
                if answer.verdict in verdicts:
                    yield Untimely(tree, place, found, answer)


def severity(rule: Rule, subject: Subject, tree: Tree) -> Severity:
    """Information where a tool may set any key, so that less is known."""
    return Severity.INFO if subject.snapshot.state_keys(tree).open_to else rule.severity


def optional(found: Occurrence) -> Fix:
    """The fix that lets the placeholder become empty where its key isn't set."""
    end = found.span.end - 1
    return Fix(f"Make `{found.placeholder.key}` optional", (Edit(Span(end, end), "?"),), safe=False)


def set_here(setters: tuple[Setter, ...]) -> tuple[Related, ...]:
    """The first few places that set the key."""
    return tuple(Related(s.path, s.span, f"`{s.key}` is set here") for s in setters[:3] if s.path)


def agents(setters: tuple[Setter, ...]) -> str:
    """The agents that set the key, in words."""
    names = list(dict.fromkeys(f"`{setter.agent}`" for setter in setters))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
