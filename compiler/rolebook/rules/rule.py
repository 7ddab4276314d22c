"""What a rule is, and what it gets to see."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Literal, get_args

from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.tree import BadReference, Fault, Place, Tree
from rolebook.record import Record
from rolebook.text import Span

Phase = Literal["quick", "full"]
Group = Literal["Files", "Placeholders", "Transfers", "Compression", "Models and tools", "Settings and comments"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""What rules are about (spec §7), in the order of the list of rules."""


class Subject(Record):
    """The file under check, and every tree that it takes part in."""

    snapshot: Snapshot
    source: Source
    trees: tuple[Tree, ...]

    @property
    def path(self) -> str:
        return self.source.path

    def places(self) -> Iterator[tuple[Tree, Place]]:
        """Where the file's agents stand, in all trees."""
        for tree in self.trees:
            for place in tree.in_file(self.path):
                yield tree, place


Check = Callable[["Rule", Subject], Iterator[Problem]]


class Rule(Record):
    """One rule. Its name names the problem, so that "allow NAME" reads well; `severity` is its usual one.

    `group` is where the list of rules shows it.
    """

    name: str
    severity: Severity
    check: Check
    phase: Phase = "quick"
    group: Group = "Files"

    def problem(
        self,
        subject: Subject,
        span: Span,
        message: str,
        severity: Severity | None = None,
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> Problem:
        """A problem of this rule in the file under check."""
        return Problem(self.name, severity or self.severity, subject.path, span, message, related, fixes)

    @property
    def page(self) -> str:
        """The rule's page in Markdown: the docstring of its module."""
        from inspect import cleandoc

        module = sys.modules[f"{__package__}.{self.name.replace('-', '_')}"]
        return cleandoc(module.__doc__ or "")


def from_validation(rule: Rule, subject: Subject) -> Iterator[Problem]:
    """The check of a rule about single files, whose findings validation against the table of keys has made already."""
    for finding in subject.source.findings:
        if finding.rule == rule.name:
            yield rule.problem(subject, finding.span, finding.message, finding.severity, fixes=finding.fixes)


def bad_references(subject: Subject, *faults: Fault) -> Iterator[BadReference]:
    """The references of the file under check that have one of these faults, each once, however often it is followed."""
    told: set[tuple[Span, Fault]] = set()
    for tree in subject.trees:
        for bad in tree.bad:
            key = (bad.reference.span, bad.fault)
            if bad.path == subject.path and bad.fault in faults and key not in told:
                told.add(key)
                yield bad
