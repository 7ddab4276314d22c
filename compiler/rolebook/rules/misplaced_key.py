"""A key that has no use where it stands.

It belongs to another class of agent, to another strategy of a compressor, or into `generate_content_config`.

## Why
It does nothing: a workflow agent calls no model, so an `instruction` on it is never read; google-adk refuses the file.

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
