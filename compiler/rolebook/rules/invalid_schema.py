"""A JSON Schema that says nothing, or not what it seems to say: an unknown type or keyword, a name that isn't there.

`output_schema` and a tool's `parameters` are schemas of draft 2020-12. What only some providers refuse, and a keyword
that has no effect, is a warning.

## Why
Providers refuse a request with such a schema, or drop the part that they don't know, and the model answers in another
form than the one that was asked for.

## Example
```yaml
name: helper
instruction: Answer.
output_schema:
  type: object
  properties:
    city: {type: str}
  required: [town]
```

## Instead
```yaml
name: helper
instruction: Answer.
output_schema:
  type: object
  properties:
    city: {type: string}
  required: [city]
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("invalid-schema", Severity.ERROR, from_validation, group="Models and tools")
