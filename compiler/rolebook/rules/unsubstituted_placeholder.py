"""A placeholder in a text that isn't filled: `identity`, `description`, `static_instruction`, a tool's description.

It counts as meant where its name is that of a state key, or where it has a scope or is an artifact, as nothing else
looks like that.

## Why
These texts go to the model as they stand, so that it reads the braces. Only `instruction` and `global_instruction` are
filled from state.

## Example
```yaml
name: support
identity: You are the assistant of {user_name}.
instruction: Help.
state:
  user_name: Alice
```

## Instead
```yaml
name: support
instruction: You are the assistant of {user_name}. Help.
state:
  user_name: Alice
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.around import agents_around, code_in
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.template import placeholders


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for around in agents_around(subject):
        for name, text in around.fixed:
            for placeholder in placeholders(text.text, around.syntax):
                meant = placeholder.key in around.known or ":" in placeholder.key or placeholder.artifact
                if placeholder.escaped or not meant or code_in(text.text).looks_like_code(placeholder.span):
                    continue
                written = text.text[placeholder.span.start : placeholder.span.end]
                message = f"{name} is a fixed text; the model reads `{written}` as it stands"
                yield rule.problem(subject, text.source(*placeholder.span), message)


rule = Rule("unsubstituted-placeholder", Severity.WARNING, check, group="Placeholders")
