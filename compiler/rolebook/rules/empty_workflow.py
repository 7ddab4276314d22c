"""A SequentialAgent, ParallelAgent or LoopAgent without any sub-agent.

## Why
It runs no model and says nothing: whoever hands over to it gets no answer.

## Example
```yaml
name: pipeline
agent_class: SequentialAgent
```

## Instead
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: draft
  - name: review
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import WORKFLOWS, Agent
from rolebook.definition.values import items_of
from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for agent in subject.source.agents:
        if agent.kind in WORKFLOWS and not agent.sub_agents and not _has_steps_written(agent):
            span = agent.entries["agent_class"].value.span
            yield rule.problem(subject, span, f"this {agent.kind} has no sub-agents, so there is nothing that it runs")


def _has_steps_written(agent: Agent) -> bool:
    """Whether something stands in the list that is no agent; that is told already."""
    return items_of(agent.entries.get("sub_agents")) != ()


rule = Rule("empty-workflow", Severity.WARNING, check, group="Transfers")
