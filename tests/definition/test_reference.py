"""The reference page in docs is what the table of keys says."""

from __future__ import annotations

from pathlib import Path

from rolebook.definition.keys import AGENT_KEYS
from rolebook.definition.reference import reference_page

PAGE = Path(__file__).parents[2] / "docs" / "keys.md"


def test_the_page_is_as_generated() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(), (
        "docs/keys.md is out of date; run: python -m rolebook.definition.reference > docs/keys.md"
    )


def test_it_has_every_key_and_no_link_leads_nowhere() -> None:
    page = reference_page()
    headings = {line.lstrip("# ").lower().replace(" ", "-") for line in page.splitlines() if line.startswith("## ")}
    links = {part.partition(")")[0] for part in page.split("](#")[1:]}
    assert links <= headings
    assert all(f"### `{row.key.name}`" in page for row in AGENT_KEYS)
