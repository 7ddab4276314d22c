"""References over the whole workspace; `test_occurrences` has what counts as one."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.references import references

TEXT = """\
name: a
instruction: "{«k»}"
output_key: k$0
=== b.agent.yaml
name: b
instruction: "{k}"
"""


def test_without_declarations_only_readers_are_left() -> None:
    given = scene(TEXT)
    found = references(given.snapshot, given.path, given.offset, given.paths, declarations=False)
    assert given.names((each.path, each.span) for each in found) == given.marks
    every = references(given.snapshot, given.path, given.offset, given.paths)
    assert [each.access for each in every] == ["read", "write"]


def test_anchors_have_references() -> None:
    given = scene("name: a\nstate: {x: &«one» 1, y: *«o$0ne», z: *two}\n")
    found = references(given.snapshot, given.path, given.offset, given.paths)
    assert given.names((each.path, each.span) for each in found) == given.marks


def test_a_function_that_the_workspace_lacks_is_still_found_by_its_name() -> None:
    given = scene("name: a\ntools: [{name: «far.a$0way»}]\n=== b.agent.yaml\nname: b\ntools: [{name: «far.away»}]\n")
    found = references(given.snapshot, given.path, given.offset, given.paths)
    assert given.names((each.path, each.span) for each in found) == given.marks
