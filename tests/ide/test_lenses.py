"""The lenses of each agent, and what they say once they are resolved."""

from __future__ import annotations

import re

from cursor import scene

from rolebook.record import replace
from rolebook_server.ide.lenses import lenses, resolved

TEXT = """\
name: a
model: gpt-4o
instruction: Hand over to `b`.
sub_agents:
  - {name: b}
  - {name: c, agent_class: SequentialAgent}
"""


def test_every_agent_has_its_lenses() -> None:
    given = scene(TEXT)
    found = lenses(given.snapshot, given.path)
    assert [(lens.agent, lens.kind) for lens in found] == [
        ("a", "run"), ("a", "preview"), ("a", "graph"), ("a", "tokens"), ("a", "references"),
        ("b", "preview"), ("b", "tokens"), ("b", "references"),
        ("c", "references"),
    ]  # fmt: skip
    assert [lens.command for lens in found[:4]] == [
        "rolebook.run",
        "rolebook.preview",
        "rolebook.graph",
        "rolebook.showRequest",
    ]
    titles = [resolved(given.snapshot, lens, given.paths).title for lens in found]
    assert [re.sub(r"≈ \d+", "N", title) for title in titles] == [
        "▶ Run", "Preview", "Graph", "N tokens", "0 references",
        "Preview", "N tokens", "1 reference",
        "0 references",
    ]  # fmt: skip


def test_a_lens_of_an_agent_that_is_gone_says_nothing() -> None:
    given = scene(TEXT)
    lens = lenses(given.snapshot, given.path)[3]
    assert resolved(given.snapshot, replace(lens, agent="gone"), ()).title == "…"
    assert resolved(given.snapshot, replace(lens, path="/nowhere.yaml"), ()).title == "…"


def test_a_file_that_holds_no_agent_has_none() -> None:
    given = scene("- a list\n")
    assert lenses(given.snapshot, given.path) == ()
