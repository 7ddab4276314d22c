"""A LoopAgent that nothing can end.

It has no `max_iterations`, and no agent in it has the tool `exit_loop`, a function or a callback, which could end it.

## Why
It goes round until the limits of the run stop it, and pays for every round.

## Example
```yaml
name: polish
agent_class: LoopAgent
sub_agents:
  - name: draft
  - name: review
```

## Instead
```yaml
name: polish
agent_class: LoopAgent
max_iterations: 5
sub_agents:
  - name: draft
  - name: review
    tools: [{name: exit_loop}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        if place.index in tree.endless_loops:
            message = "nothing ends this loop: set `max_iterations`, or give one of its agents the tool `exit_loop`"
            yield rule.problem(subject, place.agent.entries["agent_class"].value.span, message)


rule = Rule("endless-loop", Severity.WARNING, check, group="Transfers")
