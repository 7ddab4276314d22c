"""An edited document equals one that is read anew, whatever the edits were."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rolebook.syntax.markdown import parse_markdown, reparse_markdown
from rolebook.syntax.yaml import parse, reparse

TEXT = """\
name: support
model: gemini-2.5-flash  # naïve 🙂
instruction: |
  You are helping {user_name}.
  Priority: {priority}

tools:
  - name: tools.look_up
    args: {a: 1, b: [x, y]}
  - name: exit_loop
state: {user_name: 'Ann', priority: "high"}
"""
PIECES = st.text(st.sampled_from("ab :#-'\"{}[]|>\n é🙂"), max_size=6)
EDITS = st.lists(st.tuples(st.integers(0, 260), st.integers(0, 12), PIECES), max_size=8)


@given(EDITS)
def test_yaml(edits: list[tuple[int, int, str]]) -> None:
    text = TEXT
    _, syntax = reparse(text, None)
    for at, length, piece in edits:
        text = text[:at] + piece + text[at + length :]
        document, syntax = reparse(text, syntax)
        assert document == parse(text)


@given(EDITS)
def test_markdown(edits: list[tuple[int, int, str]]) -> None:
    text = f"---\n{TEXT}---\nThe body of {{user_name}}.\n"
    _, syntax = reparse_markdown(text, None)
    for at, length, piece in edits:
        text = text[:at] + piece + text[at + length :]
        document, syntax = reparse_markdown(text, syntax)
        assert document == parse_markdown(text)
