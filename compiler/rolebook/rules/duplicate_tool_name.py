"""Two tools of one agent that the model would know by the same name.

A function goes by the last part of its dotted name, an agent that is used as a tool by the agent's name. Where an
agent can hand over, `transfer_to_agent` is a tool already.

## Why
Providers refuse a request in which a name comes twice, and where one doesn't, only one of the two can be called.

## Example
```yaml
name: helper
instruction: Answer.
tools:
  - name: search
    description: Searches the shop.
    parameters: {type: object, properties: {}}
    function: shop.find
  - name: search
    description: Searches the manual.
    parameters: {type: object, properties: {}}
    function: manual.find
```

## Instead
```yaml
name: helper
instruction: Answer.
tools:
  - name: search_shop
    description: Searches the shop.
    parameters: {type: object, properties: {}}
    function: shop.find
  - name: search_manual
    description: Searches the manual.
    parameters: {type: object, properties: {}}
    function: manual.find
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Tool
from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.tree import Place
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import called_names, tool_node, without_item

_TRANSFER = "transfer_to_agent"

_MOST_SEARCHED = 200
"""Tools of one agent; past this no fix is sought, which looks at all of them for each."""


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        first: dict[str, Tool] = {}
        for tool, name in called_names(tree, place):
            if name == _TRANSFER and tree.transfer_targets(place):
                message = f"`{_TRANSFER}` is there already, since `{place.agent.name}` can hand over to other agents"
                yield rule.problem(subject, tool.span, message, fixes=_removal(subject, place, tool))
            elif name in first:
                yield _report(rule, subject, place, name, tool, first[name])
            else:
                first[name] = tool


def _report(rule: Rule, subject: Subject, place: Place, name: str, tool: Tool, other: Tool) -> Problem:
    related = (Related(subject.path, other.span, "the first one"),)
    same = (tool.name, tool.function, tool.description, tool.parameters) == (
        other.name,
        other.function,
        other.description,
        other.parameters,
    )
    message = f"another tool of `{place.agent.name}` is called `{name}`" if not same else f"`{name}` stands here twice"
    fixes = _removal(subject, place, tool) if same else ()
    return rule.problem(subject, tool.span, message, related=related, fixes=fixes)


def _removal(subject: Subject, place: Place, tool: Tool) -> tuple[Fix, ...]:
    if isinstance(place.agent.tools, tuple) and len(place.agent.tools) > _MOST_SEARCHED:
        return ()
    node, entry = tool_node(place.agent, tool), place.agent.entries.get("tools")
    edits = tuple(without_item(subject.source.text, node, entry.value)) if node and entry else ()
    return (Fix("Remove it", edits),) if edits else ()


rule = Rule("duplicate-tool-name", Severity.ERROR, check, group="Models and tools")
