"""Every rule by the cases in tests/cases/rules, one file a rule. They can be redrawn and then be read as a diff:

PYTHONPATH=tests python tests/rules/test_cases.py
"""

from __future__ import annotations

import pytest
from build import ROOT
from literate import Case, Mark, cases, draw, redraw, workspace_of

from rolebook.project.discover import is_definition
from rolebook.rules import all_rules, check_file

ALL = cases("rules")


def drawn(case: Case) -> dict[str, str]:
    files = case.files
    workspace = workspace_of(case)

    def text_of(path: str) -> str:
        return files[path.removeprefix(f"{ROOT}/")]

    found = dict(files)
    for name in files:
        path = f"{ROOT}/{name}"
        if name.endswith(".toml") or is_definition(workspace, path):
            problems = check_file(workspace, path)
            marks = [Mark(problem, problem.severity == all_rules()[problem.rule].severity) for problem in problems]
            found[name] = draw(files[name], marks, text_of)
    return found


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_problems_are_as_drawn(case: Case) -> None:
    assert drawn(case) == case.drawn


def of(rule: str) -> list[Case]:
    return [case for case in ALL if case.name.startswith(f"{rule}: ")]


@pytest.mark.parametrize("rule", all_rules())
def test_each_rule_has_cases_for_and_against(rule: str) -> None:
    found = [case for case in of(rule) if rule in case.rules]
    silent = [case for case in of(rule) if rule not in case.rules]
    assert len(found) >= 3 and len(silent) >= 3, (
        f"{rule} has {len(found)} cases with the problem, {len(silent)} without"
    )


def test_a_third_of_the_negatives_is_as_people_write() -> None:
    silent = [case for rule in all_rules() for case in of(rule) if rule not in case.rules]
    written = [case for case in silent if ": As written: " in case.name]
    assert len(written) * 3 >= len(silent)


if __name__ == "__main__":
    redraw("rules", drawn)
