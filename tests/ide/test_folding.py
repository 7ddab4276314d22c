"""Folds, as the first and the last line of each, from 1."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.folding import folds


def lines(text: str, path: str = "/agents/root_agent.yaml", newline: str = "\n") -> list[str]:
    given = scene(text, newline)
    source = given.snapshot.source(path)
    assert source is not None
    return [
        f"{source.text.line_of(fold.span.start) + 1}-{source.text.line_of(fold.span.end) + 1}"
        + (" comment" if fold.kind == "comment" else "")
        for fold in folds(source)
    ]


YAML = """\
# one
# two
name: a
instruction: |
  # no comment
  # at all

sub_agents:
  - name: b
    state:
      x: 1
  - {name: c}
# last
"""


def test_entries_items_and_comments() -> None:
    expected = ["1-2 comment", "4-6", "8-12", "9-11", "10-11"]
    assert lines(YAML) == expected
    assert lines(YAML, newline="\r\n") == expected


def test_markdown_has_front_matter_and_headings() -> None:
    text = """\
=== a.agent.md
---
name: a
state:
  x: 1
---
# One
text
## Two
```
# code
```
# Three
text
"""
    assert lines(text, "/agents/a.agent.md") == ["1-5", "3-4", "6-11", "8-11", "12-13"]


def test_broken_and_empty_files() -> None:
    assert lines("name: [a\nstate:\n  x: 1\n  y: 2\n") == ["2-4"]
    assert lines("=== root_agent.yaml\n") == []
