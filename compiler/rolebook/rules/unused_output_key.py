"""An `output_key` that nothing reads, on an agent whose answer isn't what a turn ends with.

The answer of the last step of a workflow, or of an agent that is handed over to, may be read by the application under
its key, so nothing is said of those; nor where something runs whose source isn't in the workspace.

## Why
Later steps read the key by a placeholder. One that reads another key than is written stays empty for ever.

## Example
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: researcher
    instruction: Collect facts.
    output_key: facts
  - name: writer
    instruction: Write an article.
```

## Instead
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: researcher
    instruction: Collect facts.
    output_key: facts
  - name: writer
    instruction: "Write an article from these facts: {facts}"
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        key = place.agent.output_key
        if key is not None and _goes_on(tree, place) and not subject.snapshot.state_uses(tree).may_read(key):
            yield rule.problem(subject, place.agent.entries["output_key"].value.span, f"nothing reads `{key}`")


def _goes_on(tree: Tree, place: Place) -> bool:
    """Whether another step surely runs after the agent in the same turn."""
    for at in tree.lineage(place):
        parent = tree.parent(at)
        if parent is not None and parent.agent.kind == "SequentialAgent" and parent.children[-1] != at.index:
            return True
    return False


rule = Rule("unused-output-key", Severity.HINT, check, phase="full", group="Placeholders")
