"""The same key stands twice in one mapping, or once under its name and once under another that means the same.

## Why
YAML keeps the last one and drops the other without a word.

## Example
```yaml
name: helper
instruction: Answer briefly.
instruction: Answer in French.
```

## Instead
```yaml
name: helper
instruction: Answer briefly, in French.
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("duplicate-key", Severity.ERROR, from_validation)
