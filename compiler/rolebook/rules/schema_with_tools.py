"""An `output_schema` on an agent with tools, where the model's provider can't do both in one request.

Gemini before version 3 is such a provider. `transfer_to_agent`, which an agent has where it can hand over, is a tool.

## Why
The provider isn't asked to hold the answer to the schema; only the instruction asks for it, and the answer may be
something else. A run reports what doesn't match.

## Example
```yaml
name: helper
model: gemini-2.5-flash
instruction: Look the order up.
tools:
  - name: find_order
    description: Looks an order up by its number.
    parameters: {type: object, properties: {number: {type: string}}}
    function: shop.find_order
output_schema:
  type: object
  properties:
    state: {type: string}
```

## Instead
```yaml
name: helper
model: gemini-3.5-flash
instruction: Look the order up.
tools:
  - name: find_order
    description: Looks an order up by its number.
    parameters: {type: object, properties: {number: {type: string}}}
    function: shop.find_order
output_schema:
  type: object
  properties:
    state: {type: string}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Related, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        agent, targets = place.agent, tree.transfer_targets(place)
        if agent.output_schema is None or not (agent.tools or targets) or tree.config.runtime == "adk-python":
            continue
        from rolebook.rules.models.in_force import model_in_force

        model, entry = model_in_force(tree, place), agent.entries["output_schema"]
        if model is None or model.facts.schema_with_tools is not False or model.provider != model.facts.provider:
            continue
        tools = agent.entries.get("tools")
        related = (Related(subject.path, tools.key.span, "the tools"),) if tools is not None and agent.tools else ()
        why = "" if related else f", and `{agent.name}` can hand over, which is a tool"
        message = f"`{model.name}` can't hold an answer to a schema while it has tools{why}; only the instruction asks"
        yield rule.problem(subject, entry.key.span, message, None if agent.tools else Severity.INFO, related=related)


rule = Rule("schema-with-tools", Severity.WARNING, check, group="Models and tools")
