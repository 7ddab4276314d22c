"""A global instruction that changes during a session.

It is part of the static half of the instruction, which providers cache from one request to the next. An agent's
`output_key` writes its key again at each run, a tool may do so at any time, and a function may return another text for
each request.

## Why
A prompt cache holds as long as its text stays the same to the letter. Each change makes the provider read, and bill,
the whole prefix anew; nothing fails, so it is easily missed.

## Example
```yaml
name: desk
global_instruction: "The customer's mood: {mood?}"
instruction: Answer the customer.
output_key: mood
```

## Instead
```yaml
name: desk
global_instruction: You work for Acme.
instruction: "Answer the customer, whose mood is: {mood?}"
output_key: mood
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Provider
from rolebook.problem import Problem, Severity
from rolebook.project.flow import TEMP
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.timing import set_here
from rolebook.syntax.template import placeholders
from rolebook.text import MappedText


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        match place.agent.global_instruction:
            case MappedText() as text:
                yield from _placeholders(rule, subject, tree, place, text)
            case Provider() as provider:
                message = f"the static half is cached only as long as `{provider.function}` returns the same text"
                yield rule.problem(subject, provider.span, message, Severity.INFO)


def _placeholders(rule: Rule, subject: Subject, tree: Tree, place: Place, text: MappedText) -> Iterator[Problem]:
    keys = subject.snapshot.state_keys(tree)
    for found in placeholders(text.text, tree.template_syntax(place)):
        changing = [setter for setter in keys.setters.get(found.key, ()) if setter.stage != "start"]
        if found.escaped or found.artifact or not (changing or found.key.startswith(TEMP)):
            continue
        always = any(setter.kind == "output_key" for setter in changing)
        by = f"`{changing[0].agent}` sets it" if changing else "`temp:` state starts empty in each agent"
        yield rule.problem(
            subject,
            text.source(*found.key_span),
            f"`{found.key}` changes during a session, so the static half isn't cached: {by}",
            None if always else Severity.INFO,
            set_here(tuple(changing)),
        )


rule = Rule("volatile-static-text", Severity.WARNING, check, group="Placeholders")
