"""A placeholder that nothing fills: no agent of the tree declares or writes the key.

A key counts as set when an agent declares it under `state`, writes it with `output_key`, or has a tool or callback
whose Python source writes it. Where a tool may write any key, this is information rather than a warning. A `temp:` key
counts only for the agent that writes it. An optional placeholder is reported only where its key looks like a slip of
one that is set.

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
from rolebook.rules.timing import agents, optional, set_here, severity, untimely
from rolebook.text import Edit


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        known = subject.snapshot.state_keys(tree)
        for found in substituted(tree, place):
            placeholder = found.placeholder
            if not (placeholder.escaped or placeholder.artifact or placeholder.key in known.setters):
                yield from _report(rule, subject, found, known)
    for lost in untimely(subject, "elsewhere"):
        setters = lost.answer.setters
        yield rule.problem(
            subject,
            lost.found.key_span,
            f"nothing sets `{lost.key}` here; {agents(setters)} does, but keeps `temp:` state to itself",
            severity(rule, subject, lost.tree),
            set_here(setters),
            (optional(lost.found),),
        )


def _report(rule: Rule, subject: Subject, found: Occurrence, known: StateKeys) -> Iterator[Problem]:
    key, span = found.placeholder.key, found.key_span
    near = _near(key, known)
    fixes = () if found.placeholder.optional else (optional(found),)
    if near is not None:
        related = tuple(Related(s.path, s.span, f"`{near}` is set here") for s in known.setters[near][:1] if s.path)
        level = Severity.INFO if found.placeholder.optional else None
        message = f"nothing sets `{key}`; did you mean `{near}`?"
        # What an agent or a tool writes may be there too late, which only a look at the flow tells.
        declared = any(setter.kind in ("state", "config") for setter in known.setters[near])
        yield rule.problem(
            subject, span, message, level, related, (Fix(f"Change to `{near}`", (Edit(span, near),), declared), *fixes)
        )
    elif found.placeholder.optional:
        return
    elif known.open_to:
        tools = ", ".join(f"`{name}`" for name in known.open_to[:2])
        yield rule.problem(subject, span, f"nothing sets `{key}`, unless {tools} does", Severity.INFO, fixes=fixes)
    else:
        message = f"nothing sets `{key}`; declare it under `state`, or set it with an `output_key` or a tool"
        yield rule.problem(subject, span, message, fixes=fixes)


def _near(key: str, known: StateKeys) -> str | None:
    """A key that is set and likely meant: the same name in another scope, or one that is spelt nearly so."""
    name = key.rpartition(":")[2]
    same = (other for other in known.setters if other.rpartition(":")[2] == name)
    return next(same, None) or nearest(key, known.setters)


rule = Rule("unresolved-placeholder", Severity.WARNING, check, group="Placeholders")
