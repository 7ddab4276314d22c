"""Fixtures for the editor's features: a text with `$0` where the cursor is, and files beside it."""

from __future__ import annotations

from build import ROOT, snapshot

from rolebook.project.snapshot import Snapshot

PATH = f"{ROOT}/root_agent.yaml"


def at_cursor(text: str, **others: str) -> tuple[Snapshot, str, int]:
    """The snapshot, the path and the offset that `text` stands for."""
    offset = text.index("$0")
    files = {"root_agent.yaml": text.replace("$0", "", 1), **{f"{name}.yaml": other for name, other in others.items()}}
    return snapshot(files), PATH, offset
