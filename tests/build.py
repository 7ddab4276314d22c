"""Short ways to make trees and snapshots for tests. JSON is YAML, so a case's agents are definitions as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rolebook.project.files import MemoryFiles
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Tree

ROOT = "/agents"


def snapshot(files: Mapping[str, str]) -> Snapshot:
    """A snapshot of these files in memory, below `/agents`."""
    return Snapshot(MemoryFiles({f"{ROOT}/{name}": text for name, text in files.items()}), ROOT)


def tree(definition: str | Mapping[str, Any], **others: str) -> Tree:
    """The tree of one definition, given as YAML or as data; `others` are files beside it (`kid="name: kid"`)."""
    text = definition if isinstance(definition, str) else json.dumps(definition, ensure_ascii=False)
    files = {"root_agent.yaml": text, **{f"{name}.yaml": other for name, other in others.items()}}
    built = snapshot(files).tree(f"{ROOT}/root_agent.yaml")
    assert built is not None
    return built
