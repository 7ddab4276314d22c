"""Incremental equals fresh: after any edits a snapshot says what one built from the final texts says."""

from __future__ import annotations

import pytest
from build import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from rolebook.project import layers
from rolebook.project.files import MemoryFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file

CONTENTS = {
    "root_agent.yaml": [
        "name: a\nsub_agents: [{config_path: b.yaml}, {config_path: team/c.yaml}]\ninstruction: Hi {x}\n",
        "name: a\nsub_agents: [{config_path: b.yaml}]\nstate: {x: 1}\n",
        "name: a\ntools: [{name: tools.set_x}]\nsub_agents:\n  - config_path: b.yaml\n  - config_path: 'team/c.yaml\n",
    ],
    "b.yaml": ["name: b\ninstruction: '{x}'\n", "name: c\nsub_agents: [{config_path: team/c.yaml}]\n", "nam: b\n"],
    "team/c.yaml": ["name: c\noutput_key: x\n", "name: c\ninstruction: <x> {y}\n", "- 1\n"],
    "tools.py": ["def set_x(context):\n    context.state['x'] = 1\n", "def set_x(context): ...\n"],
    "rolebook.toml": ["[state]\ny = 1\n", "template_syntax = 'angles'\n[rules]\nmissing-file = 'off'\n", "a = \n"],
}
STEP = st.sampled_from(list(CONTENTS)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from([*CONTENTS[name], None]))
)
STEPS = st.lists(STEP, max_size=10)


class Disk:
    """Files that change behind a snapshot's back."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def names(self, folder: str) -> tuple[str, ...]:
        return MemoryFiles(self.texts).names(folder)


def verdict(snapshot: Snapshot) -> object:
    """Problems, trees and state of every file."""
    paths = [f"{ROOT}/{name}" for name in CONTENTS if not name.endswith(".py")]
    return [
        (
            check_file(snapshot, path),
            [(tree.places, tree.bad, snapshot.state_keys(tree)) for tree in snapshot.trees_with(path)],
            snapshot.referrers(path),
        )
        for path in paths
    ]


@given(STEPS)
def test_edits_on_disk_and_in_the_editor(steps: list[tuple[str, str | None]]) -> None:
    disk = Disk()
    snapshot = Snapshot(disk, ROOT)
    verdict(snapshot)
    for number, (name, text) in enumerate(steps):
        path = f"{ROOT}/{name}"
        if text is None:
            disk.texts.pop(path, None)
            snapshot = snapshot.with_texts({}, frozenset({path}))
        elif number % 2:
            disk.texts[path] = text
            snapshot = snapshot.with_texts({}, frozenset({path}))
        else:
            snapshot = snapshot.with_texts({path: text})
        open_texts = snapshot.files.texts if isinstance(snapshot.files, MemoryFiles) else {}
        fresh = Snapshot(MemoryFiles({**disk.texts, **open_texts}), ROOT)
        assert verdict(snapshot) == verdict(fresh)


@pytest.mark.parametrize("most", [0, 2, 200])
def test_snapshots_that_live_side_by_side(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old snapshot and two that were made from the same one keep their own truth, in whatever order they are asked,
    however often what they share is copied."""
    monkeypatch.setattr(layers, "_MOST_OWN", most)

    @settings(max_examples=8)
    @given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), STEP, st.booleans()), min_size=2, max_size=12))
    def check(steps: list[tuple[int, int, tuple[str, str | None], bool]]) -> None:
        first = {f"{ROOT}/{name}": texts[0] for name, texts in CONTENTS.items()}
        made: list[tuple[Snapshot, dict[str, str]]] = [(Snapshot(MemoryFiles(first), ROOT), first)]
        for parent, asked, (name, text), at_once in steps:
            snapshot, texts = made[parent % len(made)]
            changed = {f"{ROOT}/{name}": text or ""}
            made.append((snapshot.with_texts(changed), {**texts, **changed}))
            if at_once:
                verdict(made[asked % len(made)][0])
        for snapshot, texts in made:
            assert verdict(snapshot) == verdict(Snapshot(MemoryFiles(texts), ROOT))

    check()
