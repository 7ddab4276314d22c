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
            for message in _complaints(subject, tree, place):
                yield rule.problem(subject, _where(place), message)


def _complaints(subject: Subject, tree: Tree, place: Place) -> Iterator[str]:
    from rolebook.models import facts

    config, model, name = tree.config, tree.model(place), place.agent.name
    window = facts(model, config.models).prompt_limit
    no_budget = config.token_budget is None and config.static_token_budget is None
    if no_budget and (window is None or _surely_fits(subject, tree, window)):
        return
    from rolebook.rules.models.compiled import halves, more_than

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


def _surely_fits(subject: Subject, tree: Tree, window: int) -> bool:
    """Whether no prompt of the tree can reach `window` tokens, so that none need be compiled.

    Each of a prompt's five parts holds what the files hold once, and samples where placeholders stand; a token has a
    byte, and a character at most four. What aliases in a schema multiply isn't seen.
    """
    texts = [text for path in tree.files if isinstance(text := subject.snapshot.read(path), str)]
    written = sum(map(len, texts)) + 200 * len(tree.places)
    samples = [*tree.config.state.values(), *(key.sample or key.default for p in tree for key in p.agent.state)]
    longest = max((len(str(sample)) for sample in samples), default=0)
    return 4 * 5 * written + 4 * longest * written // 3 < window


def _where(place: Place) -> Span:
    names = ("instruction", "static_instruction", "global_instruction", "identity", "name")
    entry = next((entry for name in names if (entry := place.agent.entries.get(name)) is not None), None)
    return entry.key.span if entry is not None else place.agent.name_span


rule = Rule("oversized-prompt", Severity.WARNING, check, phase="full", group="Models and tools")
