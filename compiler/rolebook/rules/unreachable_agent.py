"""An agent that never gets its turn.

A step of a SequentialAgent waits for the one before it; after a loop that nothing ends it waits for ever. So does all
below it.

## Why
Its prompt is never sent, and what it should put into session state never gets there.

## Example
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: polish
    agent_class: LoopAgent
    sub_agents:
      - name: draft
      - name: review
  - name: publish
```

## Instead
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: polish
    agent_class: LoopAgent
    max_iterations: 3
    sub_agents:
      - name: draft
      - name: review
  - name: publish
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Related, Severity
from rolebook.project.endings import is_endless
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree in subject.trees:
        for place, loop in _waiting(tree):
            if place.agent.path == subject.path:
                message = f"`{place.agent.name}` never runs: it waits for `{loop.agent.name}`, a loop that nothing ends"
                related = (Related(loop.agent.path, loop.agent.name_span, "the loop"),)
                yield rule.problem(subject, place.agent.name_span, message, related=related)


def _waiting(tree: Tree) -> Iterator[tuple[Place, Place]]:
    """The steps after an endless one, with the loop that keeps them waiting."""
    for place in tree:
        if place.agent.kind == "SequentialAgent":
            loop: Place | None = None
            for step in tree.children(place):
                if loop is not None:
                    yield step, loop
                loop = loop or _endless_in(tree, step)


def _endless_in(tree: Tree, step: Place) -> Place | None:
    """The loop that keeps a step from ending: the step itself, or one of the steps that it always runs."""
    pending = [step]
    while pending:
        at = pending.pop()
        if is_endless(tree, at):
            return at
        if at.agent.kind in ("SequentialAgent", "ParallelAgent"):
            pending += tree.children(at)
    return None


rule = Rule("unreachable-agent", Severity.WARNING, check, group="Transfers")
