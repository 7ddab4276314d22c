"""What is wrong, where, and how to mend it: the value that every stage returns beside its result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from rolebook.text import Edit, Span


class Severity(IntEnum):
    """How bad a problem is (spec §7), in the order of LSP's DiagnosticSeverity."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    HINT = 4

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits to one file that mend a problem. `safe` ones keep the meaning that the author plainly had."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a problem."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of a rule in the file at `path`; `span` is counted in that file's text."""

    rule: str
    severity: Severity
    path: str
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
