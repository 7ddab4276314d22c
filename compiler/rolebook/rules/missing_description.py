"""An agent that others can hand over to, or use as a tool, says nothing of what it is for.

Told where no text of its parent speaks of it by name either. An agent at the top of a tree needs none.

## Why
A model that hands over sees each target's name and description. With the name alone it has to guess, and it guesses
differently each time.

## Example
```yaml
name: desk
instruction: Find out what the customer wants and hand over.
sub_agents:
  - name: returns
  - name: parcels
    description: Says where a parcel is.
```

## Instead
```yaml
name: desk
instruction: Find out what the customer wants and hand over.
sub_agents:
  - name: returns
    description: Takes goods back and pays refunds.
  - name: parcels
    description: Says where a parcel is.
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.definition.agent import Agent
from rolebook.problem import Problem, Related, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.text import MappedText


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    told: set[int] = set()
    words: dict[int, frozenset[str] | None] = {}
    for tree, place in subject.places():
        agent = place.agent
        owner = _chooser(tree, place)
        if agent.description.strip() or not agent.name or owner is None or agent.span.start in told:
            continue
        key = id(owner.agent)
        if key not in words:
            words[key] = _words(owner.agent)
        known = words[key]
        if known is not None and agent.name.lower() not in known:
            told.add(agent.span.start)
            what = "is a tool" if place.tool_of is not None else "can be handed over to"
            message = f"`{agent.name}` {what} and has no description, so a model goes by its name alone"
            related = (Related(owner.agent.path, owner.agent.name_span, f"`{owner.agent.name}` chooses here"),)
            yield rule.problem(subject, agent.name_span, message, related=related)


def _chooser(tree: Tree, place: Place) -> Place | None:
    """The agent whose model chooses this one: an LlmAgent above it, or one that uses it as a tool."""
    owner = tree.places[place.tool_of] if place.tool_of is not None else tree.parent(place)
    return owner if owner is not None and owner.agent.kind == "LlmAgent" else None


def _words(owner: Agent) -> frozenset[str] | None:
    """The words in the chooser's texts, in small letters; None where only a run knows a text."""
    found: set[str] = set()
    for text in (owner.instruction, owner.global_instruction, owner.static_instruction, owner.identity):
        if isinstance(text, MappedText):
            found.update(re.findall(r"\w+", text.text.lower()))
        elif text is not None:
            return None
    return frozenset(found)


rule = Rule("missing-description", Severity.INFO, check, group="Transfers")
