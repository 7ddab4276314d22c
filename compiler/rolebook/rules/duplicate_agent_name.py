"""Two agents of one name in a tree.

Among siblings it is an error, since a transfer could mean either; elsewhere in the tree a warning. One definition in
two places is two agents of one name, too. Agents that are used as tools stand apart.

## Why
Transfers, branches and events know agents by their names. google-adk looks for a name from the root down and takes the
first agent that has it, in silence: a transfer to the second ends at the first.

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


def _report(rule: Rule, subject: Subject, tree: Tree, place: Place, first: Place) -> Iterator[Problem]:
    name, parent, above = place.agent.name, tree.parent(place), tree.parent(first)
    siblings = place.parent == first.parent
    twice = _is_same(place, first)
    related = (Related(first.agent.path, first.agent.name_span, "the first one"),)
    inside = parent is not None and above is not None and parent.index != above.index and _is_same(parent, above)
    if twice and place.reference is None and inside:
        return  # it stands in a definition that is in two places, and that is told
    if twice and place.reference is not None and parent is not None:
        path, span = parent.agent.path, place.reference.span
        whose = f"below `{above.agent.name}`" if above is not None else "at the top"
        where = "here" if siblings else whose
        message = f"`{name}` stands {where} already; one definition in two places is two agents of one name"
        if first.reference is not None and above is not None:
            related = (Related(above.agent.path, first.reference.span, "the first place"),)
    elif siblings:
        path, span = place.agent.path, place.agent.name_span
        message = f"another agent beside this one is called `{name}`, and a transfer could mean either"
    else:
        path, span = place.agent.path, place.agent.name_span
        message = f"another agent in this tree is called `{name}`; google-adk hands over to the first of that name"
    if path == subject.path:
        severity = Severity.ERROR if siblings and not twice else Severity.WARNING
        yield rule.problem(subject, span, message, severity, related=related)


def _is_same(place: Place, other: Place) -> bool:
    """Whether one definition stands at both places."""
    return place.agent.path == other.agent.path and place.agent.span == other.agent.span


rule = Rule("duplicate-agent-name", Severity.WARNING, check, group="Transfers")
