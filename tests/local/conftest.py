"""What these tests need is downloaded by `make local`, so nothing else runs them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "runner"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("ROLEBOOK_LOCAL"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="`make local` runs it: it needs llama.cpp and a model"))
