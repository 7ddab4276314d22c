"""What a report is made of, and the parts that the formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from rolebook.problem import Problem, Severity
from rolebook.project.snapshot import Snapshot
from rolebook.text import Span, Text


class Place(NamedTuple):
    """Where a span starts and ends; lines and columns count from 1, columns in code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Count(NamedTuple):
    """How often a rule found something, at its worst severity, and how many of these have a safe fix."""

    rule: str
    severity: Severity
    problems: int
    fixable: int


class Report:
    """The problems, in the order in which they are told: by path, then place, then rule."""

    def __init__(self, snapshot: Snapshot, problems: Iterable[Problem], files: int) -> None:
        self.snapshot = snapshot
        self.problems = sorted(problems, key=lambda each: (each.path, each.span, each.rule, each.message))
        self.files = files
        """How many files were checked."""
        self._texts: dict[str, Text] = {}

    def text(self, path: str) -> Text:
        """The text of a file, empty where it can't be read."""
        if path not in self._texts:
            content = self.snapshot.read(path)
            self._texts[path] = Text(content if isinstance(content, str) else "")
        return self._texts[path]

    def place(self, path: str, span: Span) -> Place:
        text = self.text(path)
        start, end = text.position(span.start), text.position(span.end)
        return Place(start.line + 1, start.character + 1, end.line + 1, end.character + 1)

    @cached_property
    def counts(self) -> list[Count]:
        """A row for each rule that found something, the most frequent first."""
        found: dict[str, list[Problem]] = {}
        for problem in self.problems:
            found.setdefault(problem.rule, []).append(problem)
        rows = [
            Count(rule, min(each.severity for each in of), len(of), sum(is_fixable(each) for each in of))
            for rule, of in found.items()
        ]
        return sorted(rows, key=lambda row: (-row.problems, row.rule))

    @cached_property
    def fixable(self) -> int:
        return sum(row.fixable for row in self.counts)

    @property
    def verdict(self) -> str:
        """How many of each severity, in words; empty where nothing was found."""
        counts = Counter(problem.severity for problem in self.problems)
        return ", ".join(counted(counts[severity], severity.label) for severity in Severity if counts[severity])


def is_fixable(problem: Problem) -> bool:
    """Whether `check --fix` would try to mend it."""
    return any(fix.safe for fix in problem.fixes)


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 or noun == 'info' else 's'}"
