"""An `output_schema` that the agent's model, or its provider, takes in part or not at all.

What is left out of it still stands in the instruction, in words.

## Why
The provider doesn't hold the answer to that part of the schema, so the answer may not match.

## Example
```yaml
name: helper
model: claude-sonnet-5
instruction: Rate the letter.
output_schema:
  type: object
  properties:
    stars: {type: integer, minimum: 1, maximum: 5}
```

## Instead
```yaml
name: helper
model: claude-sonnet-5
instruction: Rate the letter.
output_schema:
  type: object
  properties:
    stars: {type: integer, enum: [1, 2, 3, 4, 5]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.json import written_out
from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.yaml import Mapping, Node, Sequence
from rolebook.text import Span

_MOST_VALUES = 10_000
"""In a schema that is looked at while it is typed. Aliases double what they name, so this is no limit of size alone."""


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        schema = place.agent.output_schema
        if not isinstance(schema, dict) or tree.config.runtime == "adk-python":
            continue
        from rolebook.rules.models.dry_run import named_in, warnings
        from rolebook.rules.models.in_force import model_in_force

        if model_in_force(tree, place) is None or written_out(schema) > _MOST_VALUES:
            continue
        entry = place.agent.entries["output_schema"]
        keywords = _keywords(entry.value)
        for warning in warnings(tree, place, {}, schema):
            keyword = named_in(warning, keywords)
            yield rule.problem(subject, entry.key.span if keyword is None else keywords[keyword], warning)


def _keywords(root: Node) -> dict[str, Span]:
    """Where each key below a node stands first. Aliases share nodes, so each is looked at once."""
    found: dict[str, Span] = {}
    pending, seen = [root], {id(root)}
    for node in pending:
        if isinstance(node, Mapping):
            for entry in node.entries:
                found.setdefault(entry.name or "", entry.key.span)
        below = [entry.value for entry in node.entries] if isinstance(node, Mapping) else []
        for child in node.items if isinstance(node, Sequence) else below:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)
    return found


rule = Rule("refused-schema", Severity.INFO, check, group="Models and tools")
