"""A key that must be there isn't.

## Why
An agent without a name can't be run, found or handed over to.

## Example
```yaml
instruction: Answer briefly.
```

## Instead
```yaml
name: helper
instruction: Answer briefly.
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("missing-key", Severity.ERROR, from_validation)
