"""A step of a rehearsal that can't be played: it hands over to nobody, or calls a tool that the agent doesn't have.

`{result.KEY}` in a step can't be checked: what a tool gives back only a run knows.

## Why
A rehearsal shows whether an agent tree works. A step that is refused shows a mistake in the script instead.

## Example
```yaml
name: router
sub_agents:
  - name: weather
    description: Forecasts.
rehearsal:
  - on: rain
    transfer: wether
```

## Instead
```yaml
name: router
sub_agents:
  - name: weather
    description: Forecasts.
rehearsal:
  - on: rain
    transfer: weather
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Agent
from rolebook.definition.names import did_you_mean, nearest
from rolebook.definition.values import mappings_of, text_of
from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.reach import barrier
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.transfers import TRANSFER_TOOL
from rolebook.syntax.yaml import Entry, Mapping
from rolebook.text import Edit

_MOST_PLACES = 100
"""Places of one definition that are looked at; those beyond are like them."""


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for agent in subject.source.agents:
        if agent.kind != "LlmAgent" or "rehearsal" not in agent.entries:
            continue
        places = [(tree, place) for tree in subject.trees for place in tree.of(agent)[:_MOST_PLACES]]
        for step in mappings_of(agent.entries["rehearsal"]):
            call = step.get("call")
            transfers = [step.get("transfer")]
            for tool in call.value if call is not None and isinstance(call.value, Mapping) else ():
                if tool.name == TRANSFER_TOOL:
                    transfers.append(tool.value.get("agent_name") if isinstance(tool.value, Mapping) else None)
                elif tool.name:
                    yield from _check_tool(rule, subject, places, tool, tool.name)
            for entry in transfers:
                if entry is not None and (name := text_of(entry)):
                    yield from _check_target(rule, subject, places, entry, name)


def _check_target(
    rule: Rule, subject: Subject, places: list[tuple[Tree, Place]], entry: Entry, name: str
) -> Iterator[Problem]:
    """A target is wrong where it is one at no place of the agent."""
    if "{" in name or not places or any(_is_target(tree, place, name) for tree, place in places):
        return
    tree, place = places[0]
    known, related = tree.named(name), tuple[Related, ...]()
    fixes: tuple[Fix, ...] = ()
    if known is not None:
        found = barrier(tree, place, known)
        if not found.certain:
            return
        message, related = f"`{place.agent.name}` can't hand over to `{name}`: {found.why}", found.related
    else:
        targets = [target.agent.name for target in tree.transfer_targets(place)]
        near = nearest(name, targets)
        message = f"there is no agent `{name}` to hand over to{did_you_mean(name, targets)}"
        fixes = (Fix(f"Change to `{near}`", (Edit(entry.value.span, near),), safe=False),) if near else ()
    yield rule.problem(subject, entry.value.span, message, related=related, fixes=fixes)


def _is_target(tree: Tree, place: Place, name: str) -> bool:
    return any(target.agent.name == name for target in tree.transfer_targets(place)) or bool(
        tree.unknown_targets(place)
    )


def _check_tool(
    rule: Rule, subject: Subject, places: list[tuple[Tree, Place]], entry: Entry, name: str
) -> Iterator[Problem]:
    names = [_tools(tree, place) for tree, place in places]
    if not names or any(known is None or name in known for known in names):
        return
    known = sorted(set().union(*(each for each in names if each is not None)))
    near = nearest(name, known)
    fixes = (Fix(f"Change to `{near}`", (Edit(entry.key.span, near),), safe=False),) if near else ()
    message = f"`{name}` is no tool of `{places[0][1].agent.name}`{did_you_mean(name, known)}"
    yield rule.problem(subject, entry.key.span, message, fixes=fixes)


def _tools(tree: Tree, place: Place) -> set[str] | None:
    """The names by which the agent's model calls its tools; None where only a run knows them."""
    agent: Agent = place.agent
    if not isinstance(agent.tools, tuple):
        return None
    found: set[str] = set()
    for tool in agent.tools:
        name = tool.name.rpartition(".")[2]
        if tool.agent is None and (tool.args is not None or not name.islower()):
            return None  # a class, or what a function makes of its arguments
        found.add(name)
    return found | {other.agent.name for other in tree if other.tool_of == place.index}


rule = Rule("unplayable-step", Severity.WARNING, check, group="Transfers")
