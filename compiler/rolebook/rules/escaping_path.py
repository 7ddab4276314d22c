"""A `config_path` that is absolute or leaves the folder of the file that names it.

## Why
A definition and what it needs should move together, and an absolute path is another on each machine. google-adk refuses
both.

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
description: Helps.
```
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.project.tree import BadReference
from rolebook.rules.rule import Rule, Subject, bad_references
from rolebook.syntax.yaml.quote import quoted
from rolebook.text import Edit


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for bad in bad_references(subject, "escapes", "absolute"):
        what = "is an absolute path" if bad.fault == "absolute" else "leaves this file's folder"
        message = f"`{bad.reference.target}` {what}; google-adk refuses that"
        yield rule.problem(subject, bad.reference.span, message, fixes=_fixes(subject, bad))


def _fixes(subject: Subject, bad: BadReference) -> tuple[Fix, ...]:
    """An absolute path that doesn't leave the folder is the same file when it is written as a relative one."""
    folder = os.path.dirname(subject.path).rstrip(os.sep) + os.sep
    if bad.fault != "absolute" or not bad.target.startswith(folder):
        return ()
    better = bad.target.removeprefix(folder).replace(os.sep, "/")
    return (Fix(f"Change to `{better}`", (Edit(bad.reference.span, quoted(better)),)),)


rule = Rule("escaping-path", Severity.WARNING, check, group="Transfers")
