"""A file that is named here has errors of its own.

Told where the file is named, with the places of the errors: syntax, keys and values, and files that are missing. The
file itself tells of them as well.

## Why
A tree with an error in one of its files isn't run, and the file with the error may not be open.

## Example
```yaml
name: router
sub_agents:
  - config_path: helper.yaml
```
```yaml file=helper.yaml
name: helper
modl: gemini-flash-latest
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
model: gemini-flash-latest
```
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.problem import Problem, Related, Severity
from rolebook.project.references import resolve
from rolebook.project.source import Source, files_named_by
from rolebook.rules.ignore import body_of, ignores, lines_of
from rolebook.rules.not_a_definition import what_else
from rolebook.rules.rule import Rule, Subject

_MOST_SHOWN = 5


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    told: set[str] = set()
    for agent in subject.source.agents:
        for reference in files_named_by(agent):
            path = resolve(subject.path, reference.target)
            source = subject.snapshot.source(path) if path != subject.path and path not in told else None
            told.add(path)
            if source is None or what_else(source) is not None:
                continue  # of what is no definition, `not-a-definition` tells
            errors = list(dict.fromkeys(_errors(subject, source)))
            if errors:
                count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
                related = tuple(Related(path, error.span, error.message) for error in errors[:_MOST_SHOWN])
                yield rule.problem(subject, reference.span, f"`{os.path.basename(path)}` has {count}", related=related)


def _errors(subject: Subject, source: Source) -> Iterator[Problem]:
    """The errors that the file's own text shows, after its settings and its comments."""
    rules = subject.snapshot.config(source.path).rules
    silenced = {(ignore.rule, line) for ignore in ignores(source) for line in ignore.lines}
    body = body_of(source)
    for problem in _found(subject, source):
        places = {(problem.rule, line) for line in lines_of(problem, source, body)}
        if rules.get(problem.rule, problem.severity) == Severity.ERROR and not places & silenced:
            yield problem


def _found(subject: Subject, source: Source) -> Iterator[Problem]:
    for fault in source.document.faults:
        yield Problem("syntax-error", Severity.ERROR, source.path, fault.span, fault.message)
    from rolebook.rules import all_rules

    for finding in source.findings:
        severity = finding.severity or all_rules()[finding.rule].severity
        yield Problem(finding.rule, severity, source.path, finding.span, finding.message)
    for reference in source.references:
        if subject.snapshot.exists(resolve(source.path, reference.target)) is None:
            message = f"there is no file `{reference.target}` here"
            yield Problem("missing-file", Severity.ERROR, source.path, reference.span, message)


rule = Rule("errors-below", Severity.INFO, check, group="Transfers")
