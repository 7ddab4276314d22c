"""A key that definitions don't have.

It is an error where a known key is near, since the misspelt one does nothing; otherwise a warning.

## Why
Runtimes either refuse the file or drop the key in silence. A misspelt `instruction` leaves an agent without one.

## Example
```yaml
name: helper
instructions: Answer briefly.
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

rule = Rule("unknown-key", Severity.ERROR, from_validation)
