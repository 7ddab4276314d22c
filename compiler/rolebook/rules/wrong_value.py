"""A value of the right type that its key doesn't take: not one of the known words, or out of range.

## Why
The setting has no effect, or the run stops.

## Example
```yaml
name: helper
include_contents: None
```

## Instead
```yaml
name: helper
include_contents: none
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("wrong-value", Severity.ERROR, from_validation)
