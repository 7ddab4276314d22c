"""Every check, one module per rule. A rule's module is its page: the docstring says what, why, and by example.

To add a rule, add a module that holds a `rule`; nothing else knows the list.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.rules.rule import Phase, Rule, Subject


@cache
def all_rules() -> dict[str, Rule]:
    """The rules by their names, in alphabetical order."""
    found = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        rule = getattr(import_module(f"{__name__}.{module.name}"), "rule", None)
        if isinstance(rule, Rule):
            found[rule.name] = rule
    return found


def check_file(snapshot: Snapshot, path: str, phase: Phase = "full") -> tuple[Problem, ...]:
    """All problems in the definition at `path`, in the order of its text; none where there is no readable file.

    The `quick` phase leaves out what costs milliseconds, for an editor that shows the rest a moment later.
    """
    source = snapshot.source(path)
    if source is None:
        return ()
    subject = Subject(snapshot, source, snapshot.trees_with(path))
    found = dict.fromkeys(problem for rule in all_rules().values() for problem in _run(rule, subject, phase))
    return tuple(sorted(found, key=lambda problem: (problem.span, problem.rule, problem.message)))


def _run(rule: Rule, subject: Subject, phase: Phase) -> Iterator[Problem]:
    if rule.phase == "quick" or phase == "full":
        yield from rule.check(rule, subject)
