"""An instruction with more tokens than the model can read, or than `[tokens]` in `rolebook.toml` allows.

`budget` is for the whole system instruction, `static_budget` for its static half. The instruction is compiled with the
samples that the definition gives; tools, messages and what only a run can know come on top.

## Why
Past the context window the provider refuses every request. A budget is a promise that a prompt stays affordable, and
prompts grow a line at a time.

## Example
```yaml
name: helper
model: gemini-flash-latest
instruction: You answer questions about the orders of our customers, politely and in their own language.
```
```toml file=rolebook.toml
[tokens]
budget = 10
```

## Instead
```yaml
name: helper
model: gemini-flash-latest
instruction: You answer questions about the orders of our customers, politely and in their own language.
```
```toml file=rolebook.toml
[tokens]
budget = 500
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.text import Span


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        if place.agent.kind == "LlmAgent":
            for message in _complaints(tree, place):
                yield rule.problem(subject, _where(place), message)


def _complaints(tree: Tree, place: Place) -> Iterator[str]:
    from rolebook.models import facts
    from rolebook.rules.compiled import halves, more_than

    config, model, name = tree.config, tree.model(place), place.agent.name
    window = facts(model, config.models).prompt_limit
    if window is None and config.token_budget is None and config.static_token_budget is None:
        return
    texts = halves(tree, place)
    if window is not None and (counted := more_than(texts.whole, window, model, config.models)):
        yield f"the instruction of `{name}` has {counted}, more than `{model}` can read ({window:,})"
    elif config.token_budget is not None and (
        counted := more_than(texts.whole, config.token_budget, model, config.models)
    ):
        yield f"the instruction of `{name}` has {counted}, more than the budget of {config.token_budget:,}"
    limit = config.static_token_budget
    if limit is not None and (counted := more_than(texts.static, limit, model, config.models)):
        yield f"the static half of the instruction of `{name}` has {counted}, more than its budget of {limit:,}"


def _where(place: Place) -> Span:
    names = ("instruction", "static_instruction", "global_instruction", "identity", "name")
    entry = next((entry for name in names if (entry := place.agent.entries.get(name)) is not None), None)
    return entry.key.span if entry is not None else place.agent.name_span


rule = Rule("oversized-prompt", Severity.WARNING, check, phase="full", group="Models and tools")
