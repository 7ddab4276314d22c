"""PyYAML, with which every runtime loads definitions, refuses this file.

Rolebook's own parser sees nothing wrong, so this is one of the rare constructs on which YAML parsers differ, such as a
list that is used as a key.

## Why
A run would end before it starts, with PyYAML's own message.

## Example
```yaml
name: helper
state:
  [city, country]: Paris
```

## Instead
```yaml
name: helper
state:
  city: Paris
  country: France
instruction: You know {city} in {country}.
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.markdown import yaml_part
from rolebook.syntax.yaml.judge import refusal


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    if subject.source.document.faults or subject.source.document.plain:
        return
    text = subject.source.text.source
    fault = refusal(yaml_part(text) if subject.path.endswith(".md") else text)
    if fault is not None:
        yield rule.problem(subject, fault.span, fault.message)


rule = Rule("rejected-by-pyyaml", Severity.ERROR, check, phase="full")
