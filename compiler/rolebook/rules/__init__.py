"""Every check, one module per rule. A rule's module is its page: the docstring says what, why, and by example.

To add a rule, add a module that holds a `rule`; nothing else knows the list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

from rolebook.problem import Problem, Severity
from rolebook.project.config import CONFIG_NAMES, Config, Runtime
from rolebook.project.files import Unreadable
from rolebook.project.snapshot import Snapshot
from rolebook.record import replace
from rolebook.rules import rejected_by_adk, secret_in_file, unreadable_file, unused_ignore, wrong_config
from rolebook.rules.ignore import Ignore, body_of, ignores, lines_of
from rolebook.rules.rule import Phase, Rule, Subject


@cache
def all_rules() -> dict[str, Rule]:
    """The rules by their names, in alphabetical order."""
    names = sorted(file.removesuffix(".py") for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py"))
    modules = [import_module(f"{__name__}.{name}") for name in names if name != "__init__"]
    rules = [module.rule for module in modules if isinstance(getattr(module, "rule", None), Rule)]
    return {rule.name: rule for rule in rules}


def check_file(
    snapshot: Snapshot, path: str, phase: Phase = "full", runtime: Runtime | None = None
) -> tuple[Problem, ...]:
    """All problems in the definition or configuration at `path`, in the order of its text; none for no readable file.

    The `quick` phase leaves out what costs milliseconds, for an editor that shows the rest a moment later. `runtime`
    is the one whose judgement counts, by default that of the configuration.
    """
    rules = all_rules()
    content = snapshot.read(path)
    if isinstance(content, Unreadable):
        return (unreadable_file.report(path, content),)
    if os.path.basename(path) in CONFIG_NAMES:
        wrong = wrong_config.check_config(snapshot, path, rules, NEVER_SILENT)
        return _sorted([*wrong, *secret_in_file.check_config(snapshot, path)])
    source = snapshot.source(path)
    if source is None:
        return ()
    subject = Subject(snapshot, source, snapshot.trees_with(path))
    found = dict.fromkeys(problem for rule in rules.values() for problem in _run(rule, subject, phase))
    config = snapshot.config(path)
    judged = _judged(found, rules, runtime or config.runtime)
    return _sorted(_configured(_not_ignored(judged, subject, phase), config))


NEVER_SILENT = ("syntax-error", "missing-file", "missing-key", "reference-cycle")
"""What no run can do without: text that is YAML, files that are there, names, and a tree that ends."""


def errors_for_run(snapshot: Snapshot, path: str) -> tuple[Problem, ...]:
    """The errors in the definition at `path` that keep its tree from being run (spec §8).

    Rolebook's own rules judge, whatever the runtime is; neither comments nor settings silence what a run needs.
    """
    source = snapshot.source(path)
    if source is None:
        return check_file(snapshot, path)
    errors = [p for p in check_file(snapshot, path, runtime="rolebook") if p.severity == Severity.ERROR]
    subject = Subject(snapshot, source, snapshot.trees_with(path))
    rules = all_rules()
    always = [problem for name in NEVER_SILENT for problem in _run(rules[name], subject, "full")]
    silenced = [problem for problem in always if all((p.rule, p.span) != (problem.rule, problem.span) for p in errors)]
    return _sorted(dict.fromkeys([*errors, *silenced]))


def _run(rule: Rule, subject: Subject, phase: Phase) -> Iterator[Problem]:
    if rule.phase == "quick" or phase == "full":
        yield from rule.check(rule, subject)


def _judged(problems: Iterable[Problem], rules: dict[str, Rule], runtime: Runtime) -> Iterable[Problem]:
    """The problems as the runtime sees them: google-adk fails on some that Rolebook takes, and the other way round."""
    if runtime == "rolebook":
        return [problem for problem in problems if problem.rule != rejected_by_adk.rule.name]
    from rolebook.rules.adk.judgement import judged

    return judged(problems, rules)


def _not_ignored(problems: Iterable[Problem], subject: Subject, phase: Phase) -> Iterator[Problem]:
    """What no comment silences, and the comments that silence nothing; those only once every rule has run."""
    comments = ignores(subject.source)
    if not comments:
        yield from problems
        return
    used: set[Ignore] = set()
    by_line: dict[tuple[str, int], list[Ignore]] = {}
    for ignore in comments:
        for line in ignore.lines:
            by_line.setdefault((ignore.rule, line), []).append(ignore)
    body = body_of(subject.source)
    for problem in problems:
        lines = set(lines_of(problem, subject.source, body))
        silencing = [ignore for line in lines for ignore in by_line.get((problem.rule, line), ())]
        used.update(silencing)
        if not silencing:
            yield problem
    for ignore in comments:
        if ignore not in used and (phase == "full" or ignore.rule not in all_rules()):
            yield unused_ignore.report(subject, ignore, all_rules())


def _configured(problems: Iterable[Problem], config: Config) -> Iterator[Problem]:
    """The problems with the severities that `[rules]` gives them; those of a rule that is off are left out."""
    for problem in problems:
        severity = config.rules.get(problem.rule, problem.severity)
        if severity is not None:
            yield problem if severity == problem.severity else replace(problem, severity=severity)


def _sorted(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: (problem.span, problem.rule, problem.message)))
