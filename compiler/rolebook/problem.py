"""What is wrong, where, and how to mend it: the value that every stage returns beside its result."""

from __future__ import annotations

from enum import IntEnum

from rolebook.record import Record
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


class Fix(Record):
    """Edits to one file that mend a problem. `safe` ones keep the meaning that the author plainly had."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


class Related(Record):
    """Another place that explains a problem."""

    path: str
    span: Span
    message: str


class Problem(Record):
    """One finding of a rule in the file at `path`; `span` is counted in that file's text."""

    rule: str
    severity: Severity
    path: str
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
