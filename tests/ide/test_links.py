"""What editors underline, and where it leads."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.links import links


def test_files_python_rules_and_addresses() -> None:
    given = scene(
        """\
name: a  # rolebook: ignore[«unknown-key», no-rule]
instruction: See «https://example.org/a?b=c&d#e», or (https://), or nothing.
tools: [{name: «m.f»}, {name: m.nothing}, {name: google_search}]
sub_agents: [{config_path: «kid.yaml»}, {config_path: gone.yaml}]
=== kid.yaml
name: kid
=== m.py
def f(): ...
"""
    )
    found = links(given.snapshot, given.path)
    assert given.names((given.path, link.span) for link in found) == given.marks
    assert [(link.kind, link.target) for link in found] == [
        ("rule", "unknown-key"),
        ("address", "https://example.org/a?b=c&d#e"),
        ("file", "/agents/m.py"),
        ("file", "/agents/kid.yaml"),
    ]
    python = given.text("/agents/m.py")
    assert python[found[2].at.start : found[2].at.end] == "f"
