"""Validation of every key, by the cases in tests/cases/definition. They can be redrawn and then be read as a diff:

python tests/definition/test_validation.py
"""

from __future__ import annotations

import pytest
from literate import FOLDER, Case, cases, draw


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_findings_are_as_drawn(case: Case) -> None:
    assert draw(case.source) == case.drawn


def redraw() -> None:
    """Writes what validation finds now into the cases."""
    for file in FOLDER.glob("*.md"):
        text = file.read_text(encoding="utf-8")
        for case in cases():
            if case.name.startswith(f"{file.stem}: "):
                text = text.replace(f"```yaml\n{case.drawn}```", f"```yaml\n{draw(case.source)}```")
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    redraw()
