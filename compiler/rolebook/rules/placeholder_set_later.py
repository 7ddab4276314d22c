"""A placeholder whose key is set only after the agent's first request.

That is so when the agent sets it itself, with its `output_key` or a tool, or when an agent sets it that runs later: a
later step of a SequentialAgent, or of a LoopAgent, whose first round then lacks it.

## Why
At first the model reads the placeholder itself, braces and all; google-adk ends the run.

## Example
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: writer
    instruction: Improve this draft. {feedback}
  - name: critic
    instruction: Criticise the draft.
    output_key: feedback
```

## Instead
```yaml
name: pipeline
agent_class: SequentialAgent
sub_agents:
  - name: writer
    instruction: Improve this draft. {feedback?}
  - name: critic
    instruction: Criticise the draft.
    output_key: feedback
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.timing import Untimely, agents, optional, set_here, severity, untimely


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for late in untimely(subject, "later"):
        yield rule.problem(
            subject,
            late.found.key_span,
            f"`{late.key}` is set only later, {_by(late)}",
            severity(rule, subject, late.tree),
            set_here(late.answer.setters),
            (optional(late.found),),
        )


def _by(late: Untimely) -> str:
    own = [setter for setter in late.answer.setters if setter.place == late.place.index]
    others = tuple(setter for setter in late.answer.setters if setter.place != late.place.index)
    if others:
        loop = _shared_loop(late, {setter.place for setter in others})
        return f"by {agents(others)}" + (f": the first round of `{loop}` lacks it" if loop else "")
    by = "its `output_key`" if own[0].kind == "output_key" else "a tool or callback"
    return f"by this agent itself with {by}: its first request lacks it"


def _shared_loop(late: Untimely, setters: set[int | None]) -> str | None:
    """The innermost LoopAgent around the agent that a setter is in too."""
    around = [place for place in late.tree.lineage(late.place) if place.agent.kind == "LoopAgent"]
    setting = [late.tree.places[index] for index in setters if index is not None]
    inside = {at.index for place in setting for at in late.tree.lineage(place)}
    return next((loop.agent.name for loop in around if loop.index in inside), None)


rule = Rule("placeholder-set-later", Severity.WARNING, check, group="Placeholders")
