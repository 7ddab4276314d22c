"""A plain word that YAML makes a boolean or another number of, where any value may stand: a sample, an argument.

YAML 1.1, which every runtime reads, takes `yes`, `no`, `on` and `off` for booleans, `12:30` for the number 750, `010`
for 8, and `1.10` for 1.1. Where a text must stand, that is a `wrong-type`; here it may be meant.

## Why
The value is shown to the model, or given to a tool, as another one than the file seems to hold.

## Example
```yaml
name: greeter
instruction: Answer for {country}.
state:
  country: no
```

## Instead
```yaml
name: greeter
instruction: Answer for {country}.
state:
  country: "no"
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("guessed-type", Severity.INFO, from_validation)
