"""Agents and state keys of all definitions, the likeliest first."""

from __future__ import annotations

import pytest
from cursor import scene

from rolebook_server.ide.workspace_symbols import rank, workspace_symbols

FILES = """\
name: billing_desk
output_key: bill
sub_agents: [{name: refunds, state: {user:name: x}}]
=== other.agent.yaml
name: bill
instruction: "{bill}"
"""


def found(query: str, limit: int = 200) -> list[str]:
    given = scene(FILES)
    symbols = workspace_symbols(given.snapshot, query, given.paths, limit)
    for symbol in symbols:
        assert given.text(symbol.path)[symbol.span.start : symbol.span.end] == symbol.name
    return [f"{symbol.kind} {symbol.name} in {symbol.container}".removesuffix(" in ") for symbol in symbols]


def test_the_nearest_come_first_and_readers_are_left_out() -> None:
    assert found("bill") == ["agent bill", "state bill in billing_desk", "agent billing_desk"]
    assert found("DSK") == ["agent billing_desk"]
    assert found("name") == ["state user:name in refunds"]
    assert len(found("")) == 5 and found("zz") == []


def test_results_are_bounded() -> None:
    assert found("bill", limit=1) == ["agent bill"]


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [("a", "a", 0), ("A", "ab", 1), ("b", "a_b", 2), ("b", "ab", 3), ("ac", "abc", 4), ("ca", "abc", None)],
)
def test_ranks(query: str, name: str, expected: int | None) -> None:
    assert rank(query, name) == expected
