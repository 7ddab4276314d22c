"""google-adk refuses this definition, or ends a run of it; told where `runtime` is `adk-python`.

google-adk takes fewer keys than Rolebook, wants an `instruction` for each LlmAgent, and imports every dotted name while
it loads. What it fails on is an error, whichever rule finds it; what is an error to Rolebook alone becomes a warning.

## Why
The definition is meant for google-adk, which would stop with an exception.

## Example
```yaml
name: helper
model: gemini-flash-latest
global_instruction: Be brief.
instruction: Answer questions.
```
```toml file=rolebook.toml
runtime = "adk-python"
```

## Instead
```yaml
name: helper
model: gemini-flash-latest
instruction: Answer questions. Be brief.
```
```toml file=rolebook.toml
runtime = "adk-python"
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    if subject.snapshot.config(subject.path).runtime != "adk-python":
        return
    from rolebook.rules.adk import judgement

    for refusal in judgement.refusals(subject):
        yield rule.problem(subject, refusal.span, f"google-adk {refusal.message}")
    for doubt in judgement.doubts(subject):
        yield rule.problem(subject, doubt.span, f"google-adk {doubt.message}", Severity.INFO)


rule = Rule("rejected-by-adk", Severity.ERROR, check)
