"""A placeholder whose key is set only by agents that run at the same time.

## Why
The children of a ParallelAgent start together, and none sees what another writes before all are done. The model reads
the placeholder itself; google-adk ends the run or not, as the children's timing will have it.

## Example
```yaml
name: together
agent_class: ParallelAgent
sub_agents:
  - name: facts
    instruction: Collect facts.
    output_key: facts
  - name: summary
    instruction: Summarise {facts}.
```

## Instead
```yaml
name: in_turn
agent_class: SequentialAgent
sub_agents:
  - name: facts
    instruction: Collect facts.
    output_key: facts
  - name: summary
    instruction: Summarise {facts}.
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.timing import agents, optional, set_here, severity, untimely


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for found in untimely(subject, "parallel"):
        setters = found.answer.setters
        runs = "runs" if len({setter.agent for setter in setters}) == 1 else "run"
        yield rule.problem(
            subject,
            found.found.key_span,
            f"`{found.key}` is set by {agents(setters)}, which {runs} at the same time as this agent",
            severity(rule, subject, found.tree),
            set_here(setters),
            (optional(found.found),),
        )


rule = Rule("placeholder-set-in-parallel", Severity.WARNING, check, group="Placeholders")
