"""The cases in tests/data/cases: exact inputs and outputs of the pure steps, each file saying what it pins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "data" / "cases"


def load(name: str) -> Any:
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
