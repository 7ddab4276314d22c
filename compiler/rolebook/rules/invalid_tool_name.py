"""A tool whose name the model's provider doesn't take.

Python allows `größe_von` and names of any length; Gemini, Anthropic and OpenAI want letters, digits, `_` and `-` of
ASCII, at most 64 of them (Anthropic 128). A function goes by the last part of its dotted name, an agent that is used
as a tool by the agent's name.

## Why
The provider refuses every request of the agent.

## Example
```yaml
name: helper
model: gemini-flash-latest
instruction: Answer.
tools:
  - name: shop.größe_von
```

## Instead
```yaml
name: helper
model: gemini-flash-latest
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
from rolebook.rules.written import called_names

_LONGEST_FOR_ANTHROPIC = 128
_ADVICE = "declare it in place, with a `name` of its own and this as its `function`"


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        for tool, name in called_names(tree, place):
            if tool.declared or (tool.agent is not None and not name.isidentifier()):
                continue  # that a name is wrong by itself is told already
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
