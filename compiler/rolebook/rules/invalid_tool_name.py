"""A tool whose name the model's provider doesn't take.

Python allows `größe_von` and names of any length; Gemini, Anthropic and OpenAI want letters, digits, `_` and `-` of
ASCII, at most 64 of them (Anthropic 128). A function goes by the last part of its dotted name, an agent that is used
as a tool by the agent's name.

## Why
The provider refuses every request of the agent.

## Example
```yaml
name: helper
model: gemini-2.5-flash
instruction: Answer.
tools:
  - name: shop.größe_von
```

## Instead
```yaml
name: helper
model: gemini-2.5-flash
instruction: Answer.
tools:
  - name: size_of
    description: The size of an article.
    parameters: {type: object, properties: {}}
    function: shop.größe_von
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.names import tool_name_problem
from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import called_name

_LONGEST_FOR_ANTHROPIC = 128
_ADVICE = "declare it in place, with a `name` of its own and this as its `function`"


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        tools = place.agent.tools
        for tool in tools if isinstance(tools, tuple) else ():
            if tool.function is not None:
                continue  # the table of keys has judged its name
            name = called_name(tree, place, tool)
            if name is None or (tool.agent is not None and not name.isidentifier()):
                continue  # what is wrong with an agent's own name is told where it stands
            complaint = tool_name_problem(name)
            if complaint is None or (name.isascii() and _is_taken(name, tree.model(place))):
                continue
            advice = "" if tool.agent is not None else f"; {_ADVICE}"
            yield rule.problem(subject, tool.span, f"{complaint}{advice}")


def _is_taken(name: str, model: str | None) -> bool:
    if len(name) > _LONGEST_FOR_ANTHROPIC:
        return False
    from rolebook.wire.providers import provider_of

    return provider_of(model) == "anthropic"


rule = Rule("invalid-tool-name", Severity.WARNING, check, group="Models and tools")
