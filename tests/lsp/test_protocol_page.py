"""The list of methods in docs/protocol.md is the table that the server goes by."""

from __future__ import annotations

from pathlib import Path

from rolebook_server.lsp.table import METHODS, Lane

PAGE = Path(__file__).parents[2] / "docs/protocol.md"


def table() -> str:
    """The methods as the page shows them."""
    rows = ["| method | |", "| --- | --- |", "| `initialize`, `shutdown` | prompt |", "| `exit` | notification |"]
    for lane in (Lane.NOTIFICATION, Lane.PROMPT, Lane.BACKGROUND):
        shown = "in the background" if lane is Lane.BACKGROUND else lane.value
        rows += [
            f"| `{row.name}` | {shown} |" for row in METHODS.values() if row.lane is lane and _is_standard(row.name)
        ]
    return "\n".join(rows)


def _is_standard(name: str) -> bool:
    return not name.startswith("rolebook/")


def test_the_page_lists_the_methods() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = text.partition("<!-- methods: begin -->\n")[2].partition("\n<!-- methods: end -->")[0]
    assert listed == table(), f"docs/protocol.md should have this table:\n{table()}"
