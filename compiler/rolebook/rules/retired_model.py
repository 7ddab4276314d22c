"""A model that its provider has turned off.

The day stands in Rolebook's facts about models, which have a date of their own; what is turned off later than that date
isn't reported. Clouds and other servers keep models longer than their makers, so nothing is said of a model there.

## Why
The provider answers every request with an error.

## Example
```yaml
name: helper
model: gemini-2.0-flash
instruction: Answer.
```

## Instead
```yaml
name: helper
model: gemini-flash-latest
instruction: Answer.
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.models import facts, sources
from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import written_models
from rolebook.text import Edit


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    overrides = subject.snapshot.config(subject.path).models
    for agent in subject.source.agents:
        for name, node in written_models(agent):
            known = facts(name, overrides)
            shutdown, successor = known.shutdown, known.successor
            if shutdown is None or shutdown > sources()[0]:
                continue
            from rolebook.rules.models.in_force import described  # most models are alive, and this takes a while

            if not described(name, overrides).own:
                continue
            advice = f"; its provider names `{successor}` instead" if successor else ""
            written = name[: len(name) - len(name.rpartition("/")[2])]
            fixes: tuple[Fix, ...] = ()
            if successor:
                fixes = (Fix(f"Change to `{written}{successor}`", (Edit(node.span, written + successor),), safe=False),)
            message = f"`{name}` was turned off on {shutdown}{advice}"
            yield rule.problem(subject, node.span, message, fixes=fixes)


rule = Rule("retired-model", Severity.WARNING, check, group="Models and tools")
