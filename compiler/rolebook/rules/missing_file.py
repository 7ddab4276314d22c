"""A `config_path` that leads to no readable file.

The path is taken relative to the file that names it. Use `/` on every platform.

## Why
The tree can't be built, so nothing of it can run.

## Example
```yaml
name: router
sub_agents:
  - config_path: wether.yaml
```
```yaml file=weather.yaml
name: weather
```

## Instead
```yaml
name: router
sub_agents:
  - config_path: weather.yaml
```
```yaml file=weather.yaml
name: weather
```
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.definition.names import nearest
from rolebook.problem import Fix, Problem, Severity
from rolebook.project.files import Unreadable
from rolebook.project.tree import BadReference
from rolebook.rules.rule import Rule, Subject, bad_references
from rolebook.text import Edit


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for bad in bad_references(subject, "missing", "unreadable"):
        content = subject.snapshot.read(bad.target)
        if isinstance(content, Unreadable):
            yield rule.problem(subject, bad.reference.span, f"`{bad.reference.target}` can't be read: {content.reason}")
            continue
        better, why = _suggestion(subject, bad)
        fixes = (Fix(f"Change to `{better}`", (Edit(bad.reference.span, better),)),) if better else ()
        yield rule.problem(
            subject, bad.reference.span, f"there is no file `{bad.reference.target}` here{why}", fixes=fixes
        )


def _suggestion(subject: Subject, bad: BadReference) -> tuple[str | None, str]:
    """A path that exists and is likely meant, and the words that say so."""
    folder, target = os.path.dirname(bad.path), bad.reference.target
    slashed = target.replace("\\", "/")
    if slashed != target and subject.snapshot.exists(os.path.normpath(os.path.join(folder, slashed))):
        return slashed, "; write the path with `/`, as it works on every platform"
    from_root = os.path.normpath(os.path.join(subject.snapshot.root, target))
    if subject.snapshot.exists(from_root):
        better = os.path.relpath(from_root, folder).replace(os.sep, "/")
        if not better.startswith(".."):
            return better, f"; it is relative to this file, not to the repository's root: `{better}`"
        return None, "; it is relative to this file, not to the repository's root"
    beside = os.path.dirname(bad.target)
    names = [name for name in subject.snapshot.names(beside) if name.endswith((".yaml", ".yml"))]
    others = [name for name in names if os.path.join(beside, name) != bad.path]
    near = nearest(os.path.basename(bad.target), others)
    if near is None:
        return None, ""
    better = os.path.join(os.path.dirname(target), near).replace(os.sep, "/")
    return better, f"; did you mean `{better}`?"


rule = Rule("missing-file", Severity.ERROR, check, group="Transfers")
