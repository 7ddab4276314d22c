"""A definition that is, through its sub-agents or tools, below itself.

Every reference on the way round is shown, in the file that makes it.

## Why
An agent can't be below itself: its tree would never end. google-adk ends in a RecursionError.

## Example
```yaml
name: router
sub_agents:
  - config_path: root_agent.yaml
```

## Instead
```yaml
name: router
sub_agents:
  - config_path: helper.yaml
```
```yaml file=helper.yaml
name: helper
description: Helps.
```
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from rolebook.problem import Problem, Related, Severity
from rolebook.project.source import files_named_by
from rolebook.project.tree import BadReference, Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.text import Span


class _Link(NamedTuple):
    """A reference on the way round: the file and place where it is written, and the file that it names."""

    path: str
    span: Span
    target: str


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree in subject.trees:
        for bad in tree.bad:
            if bad.fault == "cycle":
                yield from _report(rule, subject, _way_round(tree, bad))


def _report(rule: Rule, subject: Subject, links: list[_Link]) -> Iterator[Problem]:
    for index, link in enumerate(links):
        if link.path != subject.path:
            continue
        others = links[index + 1 :] + links[:index]
        if others:
            names = " → ".join(f"`{os.path.basename(other.target)}`" for other in (link, *others))
            message = f"this leads back to this file: {names}"
        else:
            message = "this file names itself"
        related = tuple(Related(other.path, other.span, "the way goes on here") for other in others)
        yield rule.problem(subject, link.span, f"{message}, and an agent can't be below itself", related=related)


def _way_round(tree: Tree, bad: BadReference) -> list[_Link]:
    """The references of a cycle, from the one after its first file to the one that closes it."""
    last = _Link(bad.path, bad.reference.span, bad.target)
    owner = next((place for place in tree.in_file(bad.path) if bad.reference in files_named_by(place.agent)), None)
    links = [last]
    at = owner
    while at is not None and at.agent.path != bad.target:
        above = _above(tree, at)
        if at.reference is not None and above is not None:
            links.append(_Link(above.agent.path, at.reference.span, at.agent.path))
        at = above
    return links[::-1]


def _above(tree: Tree, place: Place) -> Place | None:
    index = place.parent if place.tool_of is None else place.tool_of
    return tree.places[index] if index is not None else None


rule = Rule("reference-cycle", Severity.ERROR, check, group="Transfers")
