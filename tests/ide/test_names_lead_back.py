"""From any place that names a thing, the same places are found: for every name in the examples and in a tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from cursor import scene

from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook_server.ide.definition import definition
from rolebook_server.ide.names import names
from rolebook_server.ide.occurrences import occurrences, thing_at

EXAMPLES = sorted(path for path in (Path(__file__).parents[2] / "examples").iterdir() if path.is_dir())

FILES = """\
name: desk
instruction: |
  Hi {user:name?}, {k}: transfer_to_agent("billing") or hand over to `flow`. # rolebook: ignore[no-comment]
output_key: k
state: {"user:name": Ann}
tools:
  - {name: look, function: m.look}
  - {name: AgentTool, args: {agent: {config_path: 'billing.yaml'}}}
sub_agents:
  - config_path: billing.yaml
  - {name: flow, agent_class: LoopAgent, sub_agents: [{name: one, tools: [{name: m.look}]}, {name: billing}]}
rehearsal:
  - call: {look: {a: "{k}"}}
  - transfer: "billing"
=== billing.yaml
name: billing  # rolebook: ignore[unused-state]
global_instruction: "{k} 🙂 {k?}"
=== m.py
def look(context):
    context.state["k"] = context.state.get("user:name")
"""


def leads_back(snapshot: Snapshot, paths: tuple[str, ...]) -> int:
    """Holds the occurrences of every name against those found from each of them; gives how many there were."""
    number = 0
    for path in paths:
        source = snapshot.source(path)
        assert source is not None
        for name in names(snapshot, source):
            at = thing_at(snapshot, path, name.span.start)
            assert at is not None and (at.name, at.span) == (name.text, name.span)
            found = occurrences(snapshot, at.things, paths)
            if at.things and not (name.kind == "tool" and not at.things[0].path):
                assert (path, name.span) in {(each.path, each.span) for each in found}, name
            for each in found:
                if each.kind != name.kind or not each.path.endswith(".yaml"):
                    continue
                other = thing_at(snapshot, each.path, each.span.end)
                assert other is not None and other.span == each.span
                assert occurrences(snapshot, other.things, paths) == found, (name, each)
                number += 1
            targets = definition(snapshot, path, name.span.start)
            if name.kind in ("agent", "state", "function"):
                assert all((target.path, target.selection.end) for target in targets)
    return number


def test_in_a_tree_of_files() -> None:
    given = scene(FILES)
    assert leads_back(given.snapshot, given.paths) > 30


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_in_the_examples(folder: Path) -> None:
    paths = tuple(str(path) for path in sorted(folder.glob("*.yaml")))
    assert not paths or leads_back(Snapshot(DiskFiles(), str(folder)), paths) > 0
