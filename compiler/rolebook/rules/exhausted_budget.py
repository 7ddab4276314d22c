"""A `token_budget` strategy whose budget the compiled instruction uses up alone.

The budget is for instruction and messages together. The instruction is compiled with the samples that the definition
gives; what only a run can know isn't counted, so the real cost may be higher.

## Why
Nothing is left for the conversation: the agent sees the newest messages and `keep_recent` of them at most, and forgets
all else at once.

## Example
```yaml
name: helper
instruction: You answer questions about the orders of our customers, politely and in their own language.
context_compressor:
  strategy: token_budget
  token_budget: 20
```

## Instead
```yaml
name: helper
instruction: You answer questions about the orders of our customers, politely and in their own language.
context_compressor:
  strategy: token_budget
  token_budget: 4000
```
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from rolebook.json import JsonObject
from rolebook.problem import Problem, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import strategies_of, value_span

_CHARS_PER_TOKEN = 4


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        for node, options in strategies_of(place.agent):
            budget, span = options.get("token_budget"), value_span(node, "token_budget")
            if options.get("strategy") != "token_budget" or span is None or not isinstance(budget, int):
                continue
            taken = _taken(tree, place, options, budget)
            if taken is not None:
                message = (
                    f"the instruction of `{place.agent.name}` takes {taken}, which uses up this budget of {budget:,}: "
                    f"nothing is left for messages"
                )
                yield rule.problem(subject, span, message)


def _taken(tree: Tree, place: Place, options: JsonObject, budget: int) -> str | None:
    """The tokens of the instruction as the strategy counts them, in words, where they use up the budget."""
    from rolebook.rules.models.compiled import halves, more_than

    text = halves(tree, place).whole
    if options.get("tokenizer") == "model":
        return more_than(text, budget - 1, tree.model(place), tree.config.models)
    per_token = options.get("chars_per_token", _CHARS_PER_TOKEN)
    if isinstance(per_token, bool) or not isinstance(per_token, int | float) or per_token <= 0:
        per_token = _CHARS_PER_TOKEN
    cost = ceil(len(text) / per_token)
    return f"{cost:,} tokens" if cost >= budget else None


rule = Rule("exhausted-budget", Severity.WARNING, check, phase="full", group="Compression")
