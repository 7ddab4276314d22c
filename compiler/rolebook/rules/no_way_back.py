"""A text tells an agent to go back to its parent, which it can't hand over to.

That is "transfer back to your parent agent" and the like. A name in place of the word is what `unknown-transfer-target`
looks at. An agent at the top of a tree is left alone: its parent may be in code.

## Why
The model has no tool for it and answers with a text such as "I'm transferring you back", after which nothing happens.

## Example
```yaml
name: desk
instruction: Hand questions about money to billing.
sub_agents:
  - name: billing
    description: Invoices.
    instruction: When you are done, transfer back to your parent agent.
    disallow_transfer_to_parent: true
```

## Instead
```yaml
name: desk
instruction: Hand questions about money to billing.
sub_agents:
  - name: billing
    description: Invoices.
    instruction: When you are done, transfer back to your parent agent.
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.project.reach import barrier
from rolebook.rules.rule import Rule, Subject
from rolebook.text import MappedText

_BACK = re.compile(
    r"\b(?<!n't )(?<!not )(?<!never )(?:return|transfer|hand|give|pass|route|escalate)\b(?:[ \n]+(?!to\b)[\w'-]+){0,5}?"
    r"[ \n]+to[ \n]+(?P<parent>(?:your|the|its)[ \n]+parent(?:[ \n]+agent)?)\b",
    re.IGNORECASE,
)


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        above = tree.parent(place)
        if place.agent.kind != "LlmAgent" or above is None or above in tree.transfer_targets(place):
            continue
        found = barrier(tree, place, above)
        if not found.certain:
            continue
        for text in (place.agent.instruction, place.agent.static_instruction):
            if not isinstance(text, MappedText):
                continue
            for match in _BACK.finditer(text.text):
                message = f"`{place.agent.name}` can't hand back to `{above.agent.name}`: {found.why}"
                yield rule.problem(subject, text.source(*match.span("parent")), message, related=found.related)


rule = Rule("no-way-back", Severity.WARNING, check, group="Transfers")
