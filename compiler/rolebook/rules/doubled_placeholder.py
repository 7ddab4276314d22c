"""A placeholder in doubled braces, whose name is that of a state key.

`{{user_name}}` gives `{Alice}` here, since the inner braces are the placeholder, and `Alice` in google-adk; with blanks
inside, `{{ user_name }}` isn't filled here at all. To show a name in braces, write `\\{user_name}`.

## Why
Doubled braces are how other template languages write a placeholder, or plain braces; here they are neither, and the
same file gives another prompt in google-adk.

## Example
```yaml
name: support
instruction: You are helping {{user_name}}.
state:
  user_name: Alice
```

## Instead
```yaml
name: support
instruction: You are helping {user_name}.
state:
  user_name: Alice
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.around import agents_around, code_in
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.near_template import near_placeholders
from rolebook.text import Edit


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    if subject.snapshot.config(subject.path).runtime == "adk-python":
        return
    for around in agents_around(subject):
        if around.syntax != "braces":
            continue
        for text in around.substituted:
            for near in near_placeholders(text.text):
                if near.flaw != "doubled" or near.key not in around.known or near.meant is None:
                    continue
                if code_in(text.text).looks_like_code(near.span):
                    continue
                span, written = text.source(*near.span), text.text[near.span.start : near.span.end]
                here = "leaves braces around the value" if near.meant in written else "isn't filled here"
                message = f"`{written}` {here}; google-adk gives the value alone"
                fixes = (Fix(f"Write `{near.meant}`", (Edit(span, near.meant),), safe=False),)
                yield rule.problem(subject, span, message, fixes=fixes)


rule = Rule("doubled-placeholder", Severity.WARNING, check, group="Placeholders")
