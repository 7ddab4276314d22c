"""A `config_path` that leads to no readable file.

The path is taken relative to the file that names it. Use `/` on every platform, and write names with their case.

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
description: Forecasts.
```

## Instead
```yaml
name: router
sub_agents:
  - config_path: weather.yaml
```
```yaml file=weather.yaml
name: weather
description: Forecasts.
```
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from rolebook.definition.names import nearest
from rolebook.problem import Fix, Problem, Severity
from rolebook.project.files import Unreadable
from rolebook.project.references import resolve
from rolebook.project.tree import BadReference
from rolebook.rules.rule import Rule, Subject, bad_references
from rolebook.syntax.yaml.quote import quoted
from rolebook.text import Edit

_PLAIN = re.compile(r"[A-Za-z_][\w./-]*")
_ENDINGS = (".agent.yaml", ".agent.yml", ".agent.md", ".yaml", ".yml")


class _Better(NamedTuple):
    """A path that exists, the words that propose it, and whether it is plainly the one that is meant."""

    path: str | None
    words: str
    is_plain: bool = False


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for bad in bad_references(subject, "missing", "unreadable"):
        target = bad.reference.target
        content = subject.snapshot.read(bad.target)
        if isinstance(content, Unreadable):
            inside = os.path.join(bad.target, "root_agent.yaml")
            better = _Better(None, "")
            if subject.snapshot.exists(inside) == "file":
                path = _relative(bad, inside)
                better = _Better(path, f"; its definition is `{path}`", True)
            message = f"`{target}` can't be read: {content.reason}{better.words}"
        else:
            better = _suggestion(subject, bad)
            message = f"there is no file `{target}` here{better.words}"
        fixes: tuple[Fix, ...] = ()
        if better.path is not None:
            edit = Edit(bad.reference.span, better.path if _PLAIN.fullmatch(better.path) else quoted(better.path))
            fixes = (Fix(f"Change to `{better.path}`", (edit,), safe=better.is_plain),)
        yield rule.problem(subject, bad.reference.span, message, fixes=fixes)


def _suggestion(subject: Subject, bad: BadReference) -> _Better:
    """The first thing that is there and likely meant."""
    target, exists = bad.reference.target, subject.snapshot.exists
    slashed = target.replace("\\", "/")
    if slashed != target and exists(resolve(bad.path, slashed)):
        return _Better(slashed, "; write the path with `/`, as it works on every platform", True)
    from_root = os.path.normpath(os.path.join(subject.snapshot.root, slashed.lstrip("/")))
    if exists(from_root) == "file" and from_root != bad.path:
        words = "; a path is relative to the file that names it, not to the repository's root"
        better = _relative(bad, from_root)
        return _Better(None, words) if better.startswith("..") else _Better(better, f"{words}: `{better}`", True)
    stem = next((slashed.removesuffix(end) for end in _ENDINGS if slashed.endswith(end)), slashed)
    others = [f"{stem}{end}" for end in _ENDINGS if exists(resolve(bad.path, f"{stem}{end}")) == "file"]
    others = [other for other in others if resolve(bad.path, other) != bad.path]
    if others:
        return _Better(others[0], f"; `{others[0]}` is there", len(others) == 1)
    return _nearest(subject, bad, slashed)


def _nearest(subject: Subject, bad: BadReference, target: str) -> _Better:
    """A file with a name like it in the folder that the path means, or one of that very name beside the definition."""
    folder, name = os.path.split(resolve(bad.path, target))
    names = [name for name in subject.snapshot.names(folder) if name.endswith((".yaml", ".yml", ".agent.md"))]
    near = nearest(name, [other for other in names if os.path.join(folder, other) != bad.path])
    if near is not None:
        better = os.path.join(os.path.dirname(target), near).replace(os.sep, "/")
        return _Better(better, f"; did you mean `{better}`?", near.casefold() == name.casefold())
    if os.path.dirname(target) and name in subject.snapshot.names(os.path.dirname(bad.path)):
        return _Better(name, f"; there is `{name}` beside this file")
    return _Better(None, "")


def _relative(bad: BadReference, path: str) -> str:
    return os.path.relpath(path, os.path.dirname(bad.path)).replace(os.sep, "/")


rule = Rule("missing-file", Severity.ERROR, check, group="Transfers")
