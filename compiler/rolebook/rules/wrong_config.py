"""A key or value in `rolebook.toml` (or `[tool.rolebook]`) that isn't known. Everything else in the file still applies.

It is a warning where `[rules]` turns off what no run can do without: `syntax-error`, `missing-file`, `missing-key`,
`reference-cycle`. `check` is silent about them then, and a run still ends.

## Why
A misspelt setting does nothing, and nobody notices.

## Example
```toml file=rolebook.toml
runtime = "adk"
```

## Instead
```toml file=rolebook.toml
runtime = "adk-python"
```
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rolebook.definition.names import did_you_mean
from rolebook.problem import Problem, Severity
from rolebook.project.config import read_config
from rolebook.project.snapshot import Snapshot
from rolebook.rules.rule import Rule, Subject


def check(_rule: Rule, _subject: Subject) -> Iterator[Problem]:
    """Nothing in a definition: the problems lie in the configuration's own file."""
    return iter(())


def check_config(
    snapshot: Snapshot, path: str, known: dict[str, Rule], never_silent: Collection[str]
) -> Iterator[Problem]:
    """The problems of the configuration file at `path`; `never_silent` are the rules that hold for every run."""
    text = snapshot.read(path)
    config = read_config(path, text) if isinstance(text, str) else None
    if config is None or not isinstance(text, str):
        return
    for finding in config.findings:
        yield Problem(rule.name, rule.severity, path, finding.span, finding.message)
    for name, severity in config.rules.items():
        if name not in known:
            message, worth = f"there is no rule `{name}`{did_you_mean(name, known)}", rule.severity
        elif severity is None and name in never_silent:
            message, worth = f"`{name}` can be off for `check` only; a run ends at it all the same", Severity.WARNING
        else:
            continue
        yield Problem(rule.name, worth, path, config.key_span(text, "rules", name), message)


rule = Rule("wrong-config", Severity.ERROR, check, group="Settings and comments")
