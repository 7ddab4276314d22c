"""The cases of `tests/data/wire/golden_cases.json`: every agent of the examples and of the seed, ready to be sent."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from rolebook import wire
from rolebook.project.discover import workspace_root
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import initial_state
from rolebook.project.tree import Tree
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import event_from_json
from rolebook.prompt.request import Declaration

ROOT = Path(__file__).parents[2]
DATA = json.loads((ROOT / "tests" / "data" / "wire" / "golden_cases.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = DATA["cases"]
MODELS: dict[wire.Provider, str] = DATA["models"]
PROVIDERS = tuple(MODELS)


@cache
def tree_of(definition: str) -> tuple[Snapshot, Tree]:
    path = str(ROOT / definition)
    snapshot = Snapshot(DiskFiles(), workspace_root(path))
    tree = snapshot.tree(path)
    assert tree is not None, definition
    return snapshot, tree


def compiled(name: str, provider: wire.Provider) -> Compilation:
    """The request of a case, with all that a run would know."""
    case = CASES[name]
    snapshot, tree = tree_of(case["definition"])
    place = tree.named(case["agent"])
    assert place is not None, case["agent"]
    context = Context(
        state=initial_state(tree, samples=True) | case.get("state", {}),
        declarations=snapshot.declarations(place),
        provided=case.get("provided", {}),
        listed={label: tuple(Declaration(**tool) for tool in tools) for label, tools in case.get("listed", {}).items()},
    )
    events = [event_from_json(event) for event in case["events"]]
    return compile_request(tree, place, context, events, model=MODELS[provider])
