"""A key that this class of agent doesn't use.

## Why
A workflow agent calls no model, so an `instruction` on it does nothing; google-adk refuses the file.

## Example
```yaml
agent_class: SequentialAgent
name: pipeline
instruction: Work step by step.
```

## Instead
```yaml
agent_class: SequentialAgent
name: pipeline
sub_agents:
  - name: worker
    instruction: Work step by step.
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("misplaced-key", Severity.ERROR, from_validation)
