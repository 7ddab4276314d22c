"""The outline of a definition."""

from __future__ import annotations

from build import ROOT, snapshot

from rolebook_server.ide.symbols import Symbol, symbols

TEXT = """\
name: a
instruction: |
  Hi there,
  you.
tools:
  - name: x.y
sub_agents:
  - config_path: kid.yaml
  - name: b
    model: m
"""


def outline(found: tuple[Symbol, ...], depth: int = 0) -> list[str]:
    return [
        line
        for symbol in found
        for line in ["  " * depth + f"{symbol.kind} {symbol.name}", *outline(symbol.children, depth + 1)]
    ]


def test_agents_keys_and_items() -> None:
    source = snapshot({"root_agent.yaml": TEXT}).source(f"{ROOT}/root_agent.yaml")
    assert source is not None
    assert outline(symbols(source)) == [
        "agent a",
        "  key name",
        "  key instruction",
        "  key tools",
        "    tool x.y",
        "      key name",
        "  key sub_agents",
        "    file kid.yaml",
        "      key config_path",
        "    agent b",
        "      key name",
        "      key model",
    ]


def test_spans_lie_within_each_other() -> None:
    source = snapshot({"root_agent.yaml": TEXT}).source(f"{ROOT}/root_agent.yaml")
    assert source is not None

    def check(symbol: Symbol) -> None:
        assert symbol.span.start <= symbol.selection.start <= symbol.selection.end <= symbol.span.end
        for child in symbol.children:
            assert symbol.span.start <= child.span.start <= child.span.end <= symbol.span.end
            check(child)

    for symbol in symbols(source):
        check(symbol)
