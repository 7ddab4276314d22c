"""A tool without a description: one that is declared in place without one, or a function without a docstring.

## Why
The description is what the model reads when it decides whether to call the tool, and it can't see more than that and
the parameters.

## Example
```yaml
name: helper
instruction: Answer.
tools:
  - name: find_order
    parameters: {type: object, properties: {number: {type: string}}}
    function: shop.find_order
```

## Instead
```yaml
name: helper
instruction: Answer.
tools:
  - name: find_order
    description: Looks an order up by its number.
    parameters: {type: object, properties: {number: {type: string}}}
    function: shop.find_order
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for _, place in subject.places():
        tools = place.agent.tools
        if not isinstance(tools, tuple) or not tools:
            continue
        known = subject.snapshot.declarations(place)
        for tool in tools:
            told = known.get(tool.name)
            if told is None or told.description.strip() or tool.description.strip():
                continue
            if tool.declared and tool.function is None:
                continue  # half of a tool, which is told already
            if tool.parameters is not None:
                message = f"`{tool.name}` has no `description`, so the model has to guess when to call it"
                yield rule.problem(subject, tool.span, message)
            else:
                function = tool.function or tool.name
                message = f"`{function}` has no docstring, so the model has to guess when to call `{told.name}`"
                yield rule.problem(subject, tool.span, message, Severity.HINT)


rule = Rule("undescribed-tool", Severity.INFO, check, phase="full", group="Models and tools")
