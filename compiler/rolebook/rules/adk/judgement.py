"""The whole of google-adk's judgement of a file, and what it makes of Rolebook's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rolebook.problem import Problem, Severity
from rolebook.record import replace
from rolebook.rules.adk import edges, fields, file, references, texts, tools
from rolebook.rules.adk.file import File, Refusal
from rolebook.rules.rule import Rule, Subject, from_validation
from rolebook.syntax.yaml import Mapping, Scalar
from rolebook.text import Span

RULE = "rejected-by-adk"

_CHECKS: tuple[Callable[[File], Iterator[Refusal]], ...] = (
    file.class_refusals,
    fields.check,
    references.check,
    tools.check,
    edges.check,
    texts.check,
)
_TAKEN = frozenset({"duplicate-agent-name", "duplicate-tool-name"})
"""Rules besides those about keys and values that find what google-adk takes with a warning of its own."""


def refusals(subject: Subject) -> tuple[Refusal, ...]:
    """What google-adk fails on in the file under check, each once."""
    root = subject.source.document.root
    if subject.path.endswith(".md"):
        return (Refusal(Span(root.span.start, root.span.start + 1), "reads no Markdown; write the definition as YAML"),)
    if isinstance(root, Mapping):
        read = file.read(subject, root)
        return tuple(dict.fromkeys(refusal for check in _CHECKS for refusal in check(read)))
    if isinstance(root, Scalar) and root.broken:
        return ()
    return (Refusal(Span(root.span.start, min(root.span.end, root.span.start + 1)), "wants a mapping in this file"),)


def doubts(subject: Subject) -> tuple[Refusal, ...]:
    """Where google-adk may fail, depending on what only a run can tell."""
    root = subject.source.document.root
    return tuple(texts.artifacts(file.read(subject, root))) if isinstance(root, Mapping) else ()


def judged(problems: Iterable[Problem], rules: dict[str, Rule]) -> Iterator[Problem]:
    """The problems with the severities that they have for google-adk.

    A problem that stands where google-adk fails is an error, and tells of the failure in its stead. One about keys and
    values that google-adk takes is a warning at most.
    """
    problems = list(problems)
    failures = [problem for problem in problems if problem.rule == RULE and problem.severity == Severity.ERROR]
    others = [problem for problem in problems if problem not in failures]
    told = {failure for failure in failures if any(_same_place(failure, other) for other in others)}
    yield from (failure for failure in failures if failure not in told)
    for problem in others:
        if any(_same_place(failure, problem) for failure in told):
            yield replace(problem, severity=Severity.ERROR)
        elif problem.severity == Severity.ERROR and _is_about_the_format(problem, rules):
            yield replace(problem, severity=Severity.WARNING)
        else:
            yield problem


def _same_place(one: Problem, other: Problem) -> bool:
    return one.span.start == other.span.start or (one.span.start < other.span.end and other.span.start < one.span.end)


def _is_about_the_format(problem: Problem, rules: dict[str, Rule]) -> bool:
    rule = rules.get(problem.rule)
    return problem.rule in _TAKEN or (rule is not None and rule.check is from_validation)
