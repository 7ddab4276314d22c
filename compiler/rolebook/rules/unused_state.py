"""A declaration under `state` that nothing reads: no placeholder, tool, callback or instruction function of the tree.

Where something runs whose source isn't in the workspace, nothing is said, for it may read any key.

## Why
It is left over, or a placeholder that was meant to read it spells it differently.

## Example
```yaml
name: support
instruction: You are helping a customer.
state:
  user_name: Alice
```

## Instead
```yaml
name: support
instruction: You are helping {user_name}.
state:
  user_name: Alice
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        for declared in place.agent.state:
            if not subject.snapshot.state_uses(tree).may_read(declared.key):
                yield rule.problem(subject, declared.span, f"nothing reads `{declared.key}`")


rule = Rule("unused-state", Severity.HINT, check, phase="full", group="Placeholders")
