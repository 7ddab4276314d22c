"""What a code action is before anyone chose it: a title, and a way to make its changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.text import Span
from rolebook_server.ide.changes import Changes, Refusal
from rolebook_server.ide.locate import Found

ActionKind = Literal["quickfix", "refactor.extract", "refactor.inline", "refactor.rewrite", "source.fixAll.rolebook"]


class Where(Record):
    """The selection in a definition; `found` is what stands at its beginning."""

    snapshot: Snapshot
    source: Source
    span: Span
    found: Found | None

    @property
    def path(self) -> str:
        return self.source.path


class Offer(Record):
    """A change that could be made. `name` tells it from the others at the same place; `make` does the work.

    `preferred` marks what is surely meant, `problem` what it mends. One with `explains` changes nothing: it shows the
    page of that rule.
    """

    name: str
    title: str
    kind: ActionKind
    make: Callable[[], Changes | Refusal]
    preferred: bool = False
    problem: Problem | None = None
    explains: str = ""
