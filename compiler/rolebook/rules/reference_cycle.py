"""A definition that is, through its sub-agents, a sub-agent of itself.

## Why
An agent can't be below itself; google-adk ends in a RecursionError.

## Example
```yaml
name: router
sub_agents:
  - config_path: root_agent.yaml
```

## Instead
```yaml
name: router
sub_agents:
  - config_path: helper.yaml
```
```yaml file=helper.yaml
name: helper
```
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject, bad_references


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for bad in bad_references(subject, "cycle"):
        name = os.path.basename(bad.target)
        itself = bad.target == subject.path
        message = "this agent names itself as a sub-agent" if itself else f"`{name}` has this agent below it already"
        yield rule.problem(subject, bad.reference.span, f"{message}; an agent can't be below itself")


rule = Rule("reference-cycle", Severity.ERROR, check, group="Transfers")
