"""A `config_path` that is absolute or leaves the folder of the file that names it.

## Why
A definition and what it needs should move together; google-adk refuses such a path.

## Example
```yaml
name: router
sub_agents:
  - config_path: ../shared/helper.yaml
```

## Instead
```yaml
name: router
sub_agents:
  - config_path: shared/helper.yaml
```
```yaml file=shared/helper.yaml
name: helper
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject, bad_references


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for bad in bad_references(subject, "escapes", "absolute"):
        what = "is an absolute path" if bad.fault == "absolute" else "leaves this file's folder"
        yield rule.problem(subject, bad.reference.span, f"`{bad.reference.target}` {what}; google-adk refuses that")


rule = Rule("escaping-path", Severity.WARNING, check, group="Transfers")
