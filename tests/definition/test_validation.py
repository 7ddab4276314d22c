"""Validation of every key, by the cases in tests/cases/definition. They can be redrawn and then be read as a diff:

PYTHONPATH=tests python tests/definition/test_validation.py
"""

from __future__ import annotations

import pytest
from literate import MAIN, Case, Mark, cases, draw, redraw

from rolebook.problem import Problem, Severity
from rolebook.project.source import read_source


def drawn(case: Case) -> dict[str, str]:
    (source,) = case.files.values()
    marks = [
        Mark(Problem(f.rule, f.severity or Severity.ERROR, MAIN, f.span, f.message, fixes=f.fixes), f.severity is None)
        for f in read_source("/agents/root_agent.yaml", source).findings
    ]
    return {MAIN: draw(source, marks)}


@pytest.mark.parametrize("case", cases("definition"), ids=lambda case: case.name)
def test_findings_are_as_drawn(case: Case) -> None:
    assert drawn(case) == case.drawn


if __name__ == "__main__":
    redraw("definition", drawn)
