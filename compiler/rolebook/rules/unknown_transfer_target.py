"""An instruction that hands over to an agent that can't be handed over to.

A name counts as a target when it is the argument of `transfer_to_agent`, or stands in code or quotes right after
"transfer to", "delegate to", "hand over to", "hand off to", "route to" or "escalate to".

## Why
The model calls `transfer_to_agent` with a name that is refused, and the conversation stays where it is. An agent
reaches its sub-agents, its parent and its peers, unless the definition disallows it.

## Example
```yaml
name: router
instruction: For forecasts call transfer_to_agent("wheather").
sub_agents:
  - name: weather
    description: Weather forecasts.
```

## Instead
```yaml
name: router
instruction: For forecasts call transfer_to_agent("weather").
sub_agents:
  - name: weather
    description: Weather forecasts.
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.definition.names import nearest
from rolebook.problem import Fix, Problem, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.texts import instruction_texts
from rolebook.text import Edit, Span

_CALL = re.compile(r"""\btransfer_to_agent\(\s*(?:agent_name\s*[=:]\s*)?["'`](?P<name>[^"'`\n]+)["'`]""")
_PROSE = re.compile(
    r"""\b(?:transfer|delegate|rout|escalat|hand)(?:e?s?|ing)?\b(?:\s+(?!to\b)[\w'-]+){0,6}?\s+(?:over\s+|off\s+)?to\s+"""
    r"""(?:the\s+)?(?:agent\s+|sub-?agent\s+)?(?P<quote>[`"'])(?P<name>[^\W\d]\w*)(?P=quote)""",
    re.IGNORECASE,
)

_SCHEMATIC = frozenset({"agent_name", "sub_agent_name", "subagent_name", "target_agent", "agent", "name", "AGENT_NAME"})
"""Names that stand for a name when an instruction explains how to call the tool."""


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        if place.agent.kind != "LlmAgent":
            continue
        targets = [target.agent.name for target in tree.transfer_targets(place)]
        for text in instruction_texts(place):
            called = {match.span("name") for match in _CALL.finditer(text.text)}
            mentioned = {match.span("name") for match in _PROSE.finditer(text.text)} - called
            for start, end in sorted(called | mentioned):
                name = text.text[start:end]
                if name not in targets:
                    span = text.source(start, end)
                    yield from _report(rule, subject, tree, place, name, span, targets, (start, end) in called)


def _report(
    rule: Rule, subject: Subject, tree: Tree, place: Place, name: str, span: Span, targets: list[str], called: bool
) -> Iterator[Problem]:
    near = nearest(name, targets)
    known = tree.named(name)
    if known is None and name in _SCHEMATIC:
        return
    if known is None and not called and (near is None or _is_a_tool(place, name)):
        return  # prose that names something else in code: a table, a file, a tool
    fixes = (Fix(f"Change to `{near}`", (Edit(span, near),)),) if near is not None else ()
    if known is not None:
        message = f"`{place.agent.name}` can't hand over to `{name}`: {_why_not(tree, place, known)}"
    else:
        message = f"there is no agent `{name}`" + (f"; did you mean `{near}`?" if near else " in this tree")
    yield rule.problem(subject, span, message, Severity.ERROR if called else Severity.WARNING, fixes=fixes)


def _is_a_tool(place: Place, name: str) -> bool:
    tools = place.agent.tools if isinstance(place.agent.tools, tuple) else ()
    return any(name == tool.name.rpartition(".")[2] for tool in tools)


def _why_not(tree: Tree, place: Place, known: Place) -> str:
    parent = tree.parent(place)
    if known.index == place.index:
        return "that is this agent itself"
    if parent is not None and known.index == parent.index:
        if parent.agent.kind != "LlmAgent":
            return f"its parent is a {parent.agent.kind}, which takes no transfers"
        return "`disallow_transfer_to_parent` is set"
    if parent is not None and known.parent == parent.index:
        if parent.agent.kind != "LlmAgent":
            return f"they are steps of a {parent.agent.kind}"
        return "`disallow_transfer_to_peers` is set"
    return "it is neither a sub-agent, nor the parent, nor a peer"


rule = Rule("unknown-transfer-target", Severity.WARNING, check)
