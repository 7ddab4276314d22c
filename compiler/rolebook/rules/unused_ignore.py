"""A comment that silences a rule which finds nothing there, or which doesn't exist.

## Why
What it once silenced is mended or has moved, and the comment would hide the next problem.

## Example
```yaml
name: helper  # rolebook: ignore[unknown-key]
```

## Instead
```yaml
name: helper
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.names import did_you_mean
from rolebook.problem import Problem, Severity
from rolebook.rules.ignore import Ignore
from rolebook.rules.rule import Rule, Subject


def check(_rule: Rule, _subject: Subject) -> Iterator[Problem]:
    """Nothing by itself: what an ignore comment silenced is known once every other rule has run."""
    return iter(())


def report(subject: Subject, ignore: Ignore, known: dict[str, Rule]) -> Problem:
    """The problem of a name in a comment that silenced nothing."""
    if ignore.rule in known:
        return rule.problem(subject, ignore.span, f"`{ignore.rule}` finds nothing here to ignore")
    return rule.problem(subject, ignore.span, f"there is no rule `{ignore.rule}`{did_you_mean(ignore.rule, known)}")


rule = Rule("unused-ignore", Severity.WARNING, check, group="Settings and comments")
