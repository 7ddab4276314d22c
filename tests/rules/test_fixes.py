"""Quick fixes, on the cases of all rules: a safe one removes its problem and adds none."""

from __future__ import annotations

from collections import Counter

import pytest
from build import ROOT
from literate import Case, cases
from test_cases import workspace_of

from rolebook.problem import Fix, Problem
from rolebook.project.discover import is_definition
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file
from rolebook.text import apply


def fixes(case: Case) -> list[tuple[str, Problem, Fix]]:
    """All fixes in the files of a case, with the file and the problem that each belongs to."""
    workspace = workspace_of(case)
    paths = [f"{ROOT}/{name}" for name in case.files if is_definition(workspace, f"{ROOT}/{name}")]
    return [(path, problem, fix) for path in paths for problem in check_file(workspace, path) for fix in problem.fixes]


def found(workspace: Snapshot, case: Case) -> Counter[tuple[str, str]]:
    """How often each rule finds something in each file."""
    paths = [f"{ROOT}/{name}" for name in case.files if is_definition(workspace, f"{ROOT}/{name}")]
    return Counter((path, each.rule) for path in paths for each in check_file(workspace, path))


FIXED = [case for case in cases("rules") if fixes(case)]


@pytest.mark.parametrize("case", FIXED, ids=lambda case: case.name)
def test_each_safe_fix_removes_its_problem_and_adds_none(case: Case) -> None:
    workspace = workspace_of(case)
    before = found(workspace, case)
    for path, problem, fix in fixes(case):
        if fix.safe:
            text = workspace.read(path)
            assert isinstance(text, str)
            after = found(workspace.with_texts({path: apply(text, fix.edits)}), case)
            assert after <= before and after[path, problem.rule] < before[path, problem.rule]


@pytest.mark.parametrize("case", FIXED, ids=lambda case: case.name)
def test_each_fix_changes_the_text(case: Case) -> None:
    workspace = workspace_of(case)
    for path, _, fix in fixes(case):
        text = workspace.read(path)
        assert isinstance(text, str) and apply(text, fix.edits) != text
