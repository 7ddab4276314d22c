"""A placeholder that nothing fills: no agent of the tree declares or writes the key.

A key counts as set when an agent declares it under `state`, writes it with `output_key`, or has a tool or callback
whose Python source writes it. Where a tool may write any key, this is information rather than a warning.

## Why
The model would read the placeholder itself, braces and all; google-adk ends the run.

## Example
```yaml
name: support
instruction: You are helping {usr_name}.
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

from rolebook.definition.names import nearest
from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.state import StateKeys
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.texts import Occurrence, substituted
from rolebook.text import Edit, Span


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        known = subject.snapshot.state_keys(tree)
        for found in substituted(tree, place):
            placeholder = found.placeholder
            if placeholder.escaped or placeholder.optional or placeholder.artifact:
                continue
            if placeholder.key not in known.setters:
                yield _report(rule, subject, found, known)


def _report(rule: Rule, subject: Subject, found: Occurrence, known: StateKeys) -> Problem:
    key, span = found.placeholder.key, found.key_span
    near = _near(key, known)
    related = tuple(Related(s.path, s.span, f"`{near}` is set here") for s in known.setters.get(near or "", ())[:1])
    end = found.span.end - 1
    optional = Fix(f"Make `{key}` optional", (Edit(Span(end, end), "?"),), safe=False)
    if near is not None:
        fixes = (Fix(f"Change to `{near}`", (Edit(span, near),)), optional)
        return rule.problem(subject, span, f"nothing sets `{key}`; did you mean `{near}`?", None, related, fixes)
    if known.open_to:
        tools = ", ".join(f"`{name}`" for name in known.open_to[:2])
        return rule.problem(
            subject, span, f"nothing sets `{key}`, unless {tools} does", Severity.INFO, fixes=(optional,)
        )
    message = f"nothing sets `{key}`; declare it under `state`, or set it with an `output_key` or a tool"
    return rule.problem(subject, span, message, fixes=(optional,))


def _near(key: str, known: StateKeys) -> str | None:
    """A key that is set and likely meant: the same name in another scope, or one that is spelt nearly so."""
    name = key.rpartition(":")[2]
    same = (other for other in known.setters if other.rpartition(":")[2] == name)
    return next(same, None) or nearest(key, known.setters)


rule = Rule("unresolved-placeholder", Severity.WARNING, check, group="Placeholders")
