"""The hints of a file, shown in their places between `⟦` and `⟧`."""

from __future__ import annotations

import re

from cursor import scene

from rolebook.text import Span
from rolebook_server.ide.inlay_hints import Hint, inlay_hints


def hints(text: str, within: Span | None = None) -> tuple[str, tuple[Hint, ...]]:
    given = scene(text)
    whole = given.text(given.path)
    found = inlay_hints(given.snapshot, given.path, within or Span(0, len(whole)))
    for hint in reversed(found):
        whole = f"{whole[: hint.offset]}⟦{hint.label}⟧{whole[hint.offset :]}"
    return re.sub(r"⟦([^⟧]*?)(?:≈ )?\d+ tokens", r"⟦\1N tokens", whole), found


TEXT = """\
name: a
model: gpt-4o
instruction: |
  Hi {user}, {gone} \\{user} {user?}.
tools: [{name: exit_loop}]
state: {user: Ann}
sub_agents:
  - {name: b, identity: A kid.}
"""


def test_tokens_at_keys_and_values_behind_placeholders() -> None:
    shown, found = hints(TEXT)
    assert (
        shown
        == """\
name: a
model: gpt-4o
instruction: |⟦N tokens⟧
  Hi {user}⟦= Ann⟧, {gone} \\{user} {user?}⟦= Ann⟧.
tools: [{name: exit_loop}]⟦N tokens⟧
state: {user: Ann}
sub_agents:⟦1 target, N tokens⟧
  - {name: b, identity: A kid.}⟦N tokens⟧
"""
    )
    assert "dynamic half" in found[0].tooltip and "o200k_base" in found[0].tooltip


def test_only_the_range_is_looked_at() -> None:
    start = TEXT.index("Hi")
    assert [hint.label for hint in hints(TEXT, Span(start, start + 15))[1]] == ["= Ann"]


def test_long_values_are_cut_and_holes_are_told() -> None:
    shown, _ = hints(f"name: a\ninstruction: '{{k}}'\nstate: {{k: '{'x y ' * 50}'}}\n")
    assert "⟦= x y x y x y x y x y x y x y x…⟧" in shown or "…⟧" in shown
    assert "tokens + ?⟧" in hints("name: a\ntools: [{name: far.away}, {name: exit_loop}]\n")[0]
    assert "⟧" not in hints("agent_class: LoopAgent\nname: a\nsub_agents: [{name: b}]\n")[0]
