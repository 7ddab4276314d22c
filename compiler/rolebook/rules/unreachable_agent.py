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
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        if place.index in tree.waiting:
            loop = tree.places[tree.waiting[place.index]]
            message = f"`{place.agent.name}` never runs: it waits for `{loop.agent.name}`, a loop that nothing ends"
            related = (Related(loop.agent.path, loop.agent.name_span, "the loop"),)
            yield rule.problem(subject, place.agent.name_span, message, related=related)


rule = Rule("unreachable-agent", Severity.WARNING, check, group="Transfers")
