"""Files and folders that move: every path in a definition still leads to the same file."""

from __future__ import annotations

import pytest
from build import ROOT
from cursor import scene
from hypothesis import given, settings
from hypothesis import strategies as st

from rolebook.project.snapshot import Snapshot
from rolebook_server.ide.changes import applied, texts_after
from rolebook_server.ide.file_rename import moved

WORKSPACE = """\
name: top
tools:
  - name: AgentTool
    args: {agent: {config_path: ./helpers/lookup.yaml}}
sub_agents:
  - config_path: helpers/first.yaml
  - config_path: "helpers/second.yaml"
  - config_path: gone.yaml
=== helpers/first.yaml
name: first
sub_agents:
  - config_path: 'deep/third.yaml'
=== helpers/second.yaml
name: second
=== helpers/lookup.yaml
name: lookup
=== helpers/deep/third.yaml
name: third
"""


def after(*moves: tuple[str, str]) -> dict[str, str]:
    """The texts that change, by their names after the move."""
    found = scene(WORKSPACE)
    pairs = [(f"{ROOT}/{old}", f"{ROOT}/{new}") for old, new in moves]
    texts = texts_after(found.snapshot, moved(found.snapshot, pairs, found.paths))
    return {path.removeprefix(f"{ROOT}/"): text for path, text in texts.items()}


def test_a_file() -> None:
    texts = after(("helpers/first.yaml", "one.yaml"))
    assert "config_path: one.yaml\n" in texts["root_agent.yaml"]
    assert "config_path: 'helpers/deep/third.yaml'\n" in texts["helpers/first.yaml"]


def test_a_folder() -> None:
    texts = after(("helpers", "agents"))
    assert list(texts) == ["root_agent.yaml"], "what moves together keeps its paths"
    assert "config_path: agents/first.yaml\n" in texts["root_agent.yaml"]
    assert 'config_path: "agents/second.yaml"\n' in texts["root_agent.yaml"]
    assert "{config_path: ./agents/lookup.yaml}" in texts["root_agent.yaml"]
    assert "config_path: gone.yaml\n" in texts["root_agent.yaml"]


def test_the_file_that_names_others() -> None:
    texts = after(("root_agent.yaml", "helpers/root_agent.yaml"))
    assert "config_path: first.yaml\n" in texts["root_agent.yaml"]
    assert "config_path: ./lookup.yaml" in texts["root_agent.yaml"]


def test_names_that_need_quotes_get_them() -> None:
    texts = after(("helpers/first.yaml", "a #b.yaml"), ("helpers/second.yaml", "it's.yaml"))
    assert 'config_path: "a #b.yaml"\n' in texts["root_agent.yaml"]
    assert 'config_path: "it\'s.yaml"\n' in texts["root_agent.yaml"]


@pytest.mark.parametrize("moves", [[], [("nowhere.yaml", "elsewhere.yaml")], [("helpers/second.yaml",) * 2]])
def test_nothing_to_follow(moves: list[tuple[str, str]]) -> None:
    assert after(*moves) == {}


def shape(snapshot: Snapshot, path: str) -> list[str]:
    tree = snapshot.tree(path)
    return [place.branch for place in tree] if tree is not None else []


FILES = ["root_agent.yaml", "helpers/first.yaml", "helpers/second.yaml", "helpers/deep/third.yaml", "helpers"]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(FILES), st.sampled_from(["x", "helpers/y", "z/w", "a b"])), max_size=2))
def test_the_tree_stays_as_it_is(moves: list[tuple[str, str]]) -> None:
    found = scene(WORKSPACE)
    pairs = {old: f"{new}/{old.rpartition('/')[2]}" for old, new in moves}
    if "helpers" in pairs and len(pairs) > 1:
        return  # what moves twice depends on the order
    files = {}
    for old, new in pairs.items():
        for path in found.paths:
            name = path.removeprefix(f"{ROOT}/")
            if name == old or name.startswith(f"{old}/"):
                files[path] = f"{ROOT}/{new}{name.removeprefix(old)}"
    edits = moved(found.snapshot, [(f"{ROOT}/{old}", f"{ROOT}/{new}") for old, new in pairs.items()], found.paths)
    made = type(edits)(edits.edits, renamed=tuple(files.items()))
    root = files.get(f"{ROOT}/root_agent.yaml", f"{ROOT}/root_agent.yaml")
    assert shape(applied(found.snapshot, made), root) == shape(found.snapshot, f"{ROOT}/root_agent.yaml")
