"""A setting in `generate_content_config` that the agent's model, or its provider, doesn't take.

Either the provider has no such setting (then a run leaves it out), or the model refuses it, or its value is outside of
what is allowed. The model is the one in force, also where an ancestor or `rolebook.toml` sets it.

## Why
The setting does nothing, or the provider refuses every request of the agent.

## Example
```yaml
name: helper
model: claude-haiku-4-5
instruction: Answer.
generate_content_config:
  temperature: 1.5
  seed: 7
```

## Instead
```yaml
name: helper
model: claude-haiku-4-5
instruction: Answer.
generate_content_config:
  temperature: 1
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rolebook.json import JsonValue
from rolebook.problem import Fix, Problem, Severity
from rolebook.project.tree import Place, Tree
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import settings_of, without_entry
from rolebook.syntax.yaml import Entry


class Complaint(NamedTuple):
    """What is wrong with a setting; `at_value` where its value is, and not that it is set at all."""

    setting: str
    message: str
    at_value: bool = False
    severity: Severity | None = None


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        written = settings_of(place.agent)
        if not written:
            continue
        from rolebook.rules.models.in_force import model_in_force
        from rolebook.rules.models.setting_limits import limits

        model = model_in_force(tree, place)
        if model is None:
            continue
        config = {name: value for name, value in place.agent.generate_content_config.items() if value is not None}
        told: set[str] = set()
        for complaint in (*_by_wire(tree, place, config), *limits(model, config)):
            entry = written.get(complaint.setting)
            if entry is not None and complaint.setting not in told:
                told.update(name for name in config if f"`{name}`" in complaint.message)
                told.add(complaint.setting)
                yield _report(rule, subject, place, entry, complaint)


def _report(rule: Rule, subject: Subject, place: Place, entry: Entry, complaint: Complaint) -> Problem:
    if complaint.at_value:
        return rule.problem(subject, entry.value.span, complaint.message, complaint.severity)
    config = place.agent.entries["generate_content_config"].value
    edits = tuple(without_entry(subject.source.text, entry, config))
    fixes = (Fix(f"Remove `{entry.name}`", edits, safe=False),) if edits else ()
    return rule.problem(subject, entry.key.span, complaint.message, complaint.severity, fixes=fixes)


def _by_wire(tree: Tree, place: Place, config: Mapping[str, JsonValue]) -> Iterator[Complaint]:
    """What Rolebook's own request couldn't honour of the settings; google-adk makes requests of its own."""
    if tree.config.runtime == "adk-python":
        return
    from rolebook.rules.models.dry_run import named_in, warnings

    for warning in warnings(tree, place, config):
        setting = named_in(warning, config)
        if setting is not None:
            yield Complaint(setting, warning)


rule = Rule("refused-setting", Severity.WARNING, check, group="Models and tools")
