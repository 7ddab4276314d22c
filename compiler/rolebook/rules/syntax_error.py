"""The file is no YAML here.

The entry that holds the mistake is lost; everything else in the file stays known. The usual causes are a text with a
colon and a blank in it (`: `), a quote that is never closed, a text that starts with `{`, and a tab in the indentation.

## Why
Every runtime loads definitions with PyYAML, which refuses the whole file.

## Example
```yaml
name: helper
instruction: Note: answer briefly.
```

## Instead
```yaml
name: helper
instruction: "Note: answer briefly."
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for fault in subject.source.document.faults:
        yield rule.problem(subject, fault.span, fault.message)


rule = Rule("syntax-error", Severity.ERROR, check)
