"""The problems of a file, as an editor shows them; none for a file that is no definition."""

from __future__ import annotations

from rolebook.problem import Problem
from rolebook.project.discover import is_definition
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file
from rolebook.rules.rule import Phase


def diagnostics(snapshot: Snapshot, path: str, phase: Phase) -> tuple[Problem, ...]:
    return check_file(snapshot, path, phase) if is_definition(snapshot, path) else ()
