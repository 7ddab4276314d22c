"""A placeholder whose key is set on some ways to the agent and not on others.

A way is an order in which agents run: one hands over to another, a loop ends early, a step of a workflow hands over
instead of answering.

## Why
On the other ways the model reads the placeholder itself, braces and all; google-adk ends the run. It may be that the
conversation never takes them, so this is information.

## Example
```yaml
name: desk
instruction: Let `search` find flights, then let `booking` book one.
sub_agents:
  - name: search
    description: Finds flights.
    instruction: Find flights.
    output_key: flights
  - name: booking
    description: Books a flight.
    instruction: Book one of {flights}.
```

## Instead
```yaml
name: desk
instruction: Let `search` find flights, then let `booking` book one.
sub_agents:
  - name: search
    description: Finds flights.
    instruction: Find flights.
    output_key: flights
  - name: booking
    description: Books a flight.
    instruction: Book one of {flights?}.
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.timing import Untimely, agents, optional, set_here, untimely


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for found in untimely(subject, "sometimes"):
        yield rule.problem(
            subject,
            found.found.key_span,
            f"`{found.key}` is set by {agents(found.answer.setters)}, but not {_way(found)}",
            None,
            set_here(found.answer.setters),
            (optional(found.found),),
        )


def _way(found: Untimely) -> str:
    path = found.answer.path
    if not path:
        return "when a conversation begins with this agent"
    shown = [*path[:3], "…", *path[-2:]] if len(path) > 6 else path
    return f"on the way {' → '.join([*shown, found.place.agent.name])}"


rule = Rule("placeholder-sometimes-unset", Severity.INFO, check, group="Placeholders")
