"""A key that must be there isn't: an agent's `name`, what a strategy needs, the function of a declared tool.

## Why
An agent without a name can't be run, found or handed over to; a tool without a function can't be called.

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
