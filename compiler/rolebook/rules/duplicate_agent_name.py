"""Two agents of one name in a tree.

Among siblings it is an error, since a transfer could mean either; elsewhere in the tree a warning.

## Why
Transfers, branches and events know agents by their names. google-adk takes the first that it finds, in silence.

## Example
```yaml
name: router
sub_agents:
  - name: helper
    description: Answers questions.
  - name: helper
    description: Writes letters.
```

## Instead
```yaml
name: router
sub_agents:
  - name: helper
    description: Answers questions.
  - name: letter_writer
    description: Writes letters.
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Related, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree in subject.trees:
        for place, first in tree.namesakes:
            yield from _report(rule, subject, tree, place, first)


def _report(rule: Rule, subject: Subject, tree: Tree, place: Place, other: Place) -> Iterator[Problem]:
    siblings = place.parent == other.parent
    twice = place.agent.path == other.agent.path and place.agent.span == other.agent.span
    related = (Related(other.agent.path, other.agent.name_span, "the first one"),)
    parent = tree.parent(place)
    if twice and place.reference is not None and parent is not None:
        path, span = parent.agent.path, place.reference.span
        message = (
            f"`{place.agent.name}` stands in this tree already; one definition in two places is two agents of one name"
        )
    else:
        path, span = place.agent.path, place.agent.name_span
        message = f"another agent {'beside this one' if siblings else 'in this tree'} is called `{place.agent.name}`"
    if path == subject.path:
        severity = Severity.ERROR if siblings and not twice else Severity.WARNING
        yield rule.problem(subject, span, message, severity, related=related)


rule = Rule("duplicate-agent-name", Severity.WARNING, check, group="Transfers")
