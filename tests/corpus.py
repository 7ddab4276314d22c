"""The public definition files that tests read from the folder named by ROLEBOOK_CORPUS. They are never committed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("ROLEBOOK_CORPUS", "")) / "adk"
needs_corpus = pytest.mark.skipif(not os.environ.get("ROLEBOOK_CORPUS"), reason="ROLEBOOK_CORPUS names no corpus")


def files() -> list[Path]:
    """The definitions of the corpus, sorted; none without a corpus."""
    return sorted(FOLDER.rglob("*.yaml")) if os.environ.get("ROLEBOOK_CORPUS") else []


def repositories() -> list[Path]:
    return sorted(path for path in FOLDER.iterdir() if path.is_dir()) if files() else []
