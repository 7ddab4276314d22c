"""A value of another type than its key takes: a number or a boolean for a text, a text for a list.

## Why
YAML guesses types: `no`, `on` and `1.10` are no texts unless they are quoted, and `{user}` is a mapping.

## Example
```yaml
name: helper
instruction: no
```

## Instead
```yaml
name: helper
instruction: "no"
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("wrong-type", Severity.ERROR, from_validation)
