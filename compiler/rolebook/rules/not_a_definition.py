"""A `config_path` that leads to a file which is no agent's definition.

A definition is a mapping with at least a `name`. A file without a single key of an agent is something else: settings, a
list, a text, an empty file.

## Why
The agent below has neither name nor instruction, and google-adk refuses the file.

## Example
```yaml
name: router
sub_agents:
  - config_path: settings.yaml
```
```yaml file=settings.yaml
temperature: 0
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

from rolebook.problem import Problem, Related, Severity
from rolebook.project.references import resolve
from rolebook.project.source import Source, files_named_by
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.yaml import Mapping, Scalar, Sequence
from rolebook.text import Span


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for agent in subject.source.agents:
        for reference in files_named_by(agent):
            path = resolve(subject.path, reference.target)
            source = subject.snapshot.source(path) if path != subject.path else None
            what = what_else(source) if source is not None else None
            if what is not None:
                related = (Related(path, Span(0, 0), "the file begins here"),)
                message = f"`{os.path.basename(path)}` is no agent's definition: {what}"
                yield rule.problem(subject, reference.span, message, related=related)


def what_else(source: Source) -> str | None:
    """What the file holds instead of a definition; None for a definition, and for a file that can't be read as YAML."""
    root = source.document.root
    if source.document.faults:
        return None
    if isinstance(root, Mapping):
        return "it has no key of an agent" if root.entries and not source.agent.entries else None
    if isinstance(root, Sequence):
        return "it holds a list"
    if isinstance(root, Scalar) and root.value is None:
        return "it is empty"
    return "it holds a text"


rule = Rule("not-a-definition", Severity.ERROR, check, group="Transfers")
