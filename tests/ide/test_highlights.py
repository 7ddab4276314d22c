"""The places in the file of the cursor that `«…»` marks, and how they use the name: r reads, w sets."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.highlights import highlights


def check(text: str, kinds: str) -> None:
    given = scene(text)
    found = highlights(given.snapshot, given.path, given.offset)
    assert sorted(each.span for each in found) == given.marks[given.path.rpartition("/")[2]]
    assert "".join(each.kind[0] for each in found) == kinds


def test_state() -> None:
    check('name: a\ninstruction: Hi {«k$0»}, {kk}, {«k»?}.\noutput_key: "«k»"\nstate: {«k»: 1}\n', "rrww")


def test_agents_are_told_apart() -> None:
    check(
        "name: a\nrehearsal: [{transfer: «b$0»}]\nsub_agents: [{name: «b», sub_agents: [{name: c}]}]\n",
        "rw",
    )


def test_functions_by_any_name() -> None:
    check(
        "name: a\ntools: [{name: «m.f$0»}]\nrehearsal: [{call: {«f»: {}}}]\nbefore_agent_callbacks: [{name: other.f}]\n"
        "=== m.py\ndef f(): ...\n",
        "rr",
    )


def test_anchors() -> None:
    check("name: a\nstate: {x: &«one» 1, y: *«one», z: *«o$0ne»}\n", "wrr")


def test_rules() -> None:
    check("name: a # rolebook: ignore[«x$0»]\nmodel: y # rolebook: ignore[«x», z]\n", "rr")


def test_an_anchor_that_is_given_again_is_another_one() -> None:
    check("name: a\nstate: {x: &one 1, y: *one, z: &«one» 2, w: *«o$0ne»}\n", "wr")
