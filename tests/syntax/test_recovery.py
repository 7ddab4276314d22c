"""Broken files: only the entry that holds the mistake is lost, and the fault is put where the mistake is."""

from __future__ import annotations

import pytest

from rolebook.syntax.yaml import parse, value_of

CASES = [
    ("an unquoted colon", "name: a\ninstruction: Note«:» use tools\nmodel: x\n", {"name": "a", "model": "x"}),
    ("an open quote", "name: a\ndescription: «'»open\nmodel: x\n", {"name": "a", "model": "x"}),
    ("text after a brace", "name: a\ninstruction: «{user} hello»\nmodel: x\n", {"name": "a", "model": "x"}),
    ("a half-typed key", "name: a\n«instr»\nmodel: x\n", {"name": "a", "instr": None, "model": "x"}),
    ("a tab", "name: a\nsub_agents:\n«\t»- x\nmodel: x\n", {"name": "a", "model": "x"}),
    ("a missing bracket", "name: a\ntools: «[»x, y\nmodel: x\n", {"name": "a", "model": "x"}),
    ("deeper than its place", "name: a\n  «model: x»\nb: 1\n", {"name": "a", "b": 1}),
    ("less than its text", "a: |\n    x\n  «y»\nb: 2\n", {"a": "x\n", "b": 2}),
    ("inside a list", "t:\n  - name: a\n  - name: «'»b\n  - name: c\nm: x\n", {"m": "x"}),
    ("inside a list without indent", "t:\n- name: a\n  args: «{»a: 1\n- name: b\nm: x\n", {"m": "x"}),
    ("deep inside", "a:\n  b:\n    c: x«:» y\n    d: 1\n  e: 2\nf: 3\n", {"f": 3}),
    ("a bad escape", 'a: "x «\\q» y"\nb: 1\n', {"b": 1}),
    ("text after a quote", "a: 'x'« y»\nb: 1\n", {"b": 1}),
    ("a reserved character", "a: «@»x\nb: 1\n", {"b": 1}),
    ("a second document", "a: 1\n«---»\nb: 1\n", {"a": 1}),
]


def marked(text: str) -> tuple[str, int, int]:
    """The text without its « » marks, and the offsets that they enclose."""
    start, end = text.index("«"), text.index("»") - 1
    return text.replace("«", "").replace("»", ""), start, end


@pytest.mark.parametrize(("text", "kept"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_one_mistake(text: str, kept: dict[str, object]) -> None:
    source, start, end = marked(text)
    document = parse(source)
    value = value_of(document.root)
    assert isinstance(value, dict)
    assert {key: value.get(key, "lost") for key in kept} == kept
    assert [(fault.span, fault.message.strip() != "") for fault in document.faults] == [((start, end), True)]


def test_siblings_of_a_broken_item_are_known() -> None:
    value = value_of(parse("t:\n  - name: a\n  - name: 'b\n  - name: c\n").root)
    assert value == {"t": [{"name": "a"}, {"name": "'b"}, {"name": "c"}]}


def test_neighbours_deep_inside_are_known() -> None:
    value = value_of(parse("a:\n  b:\n    c: x: y\n    d: 1\n  e: 2\nf: 3\n").root)
    assert value == {"a": {"b": {"c": "x: y", "d": 1}, "e": 2}, "f": 3}


def test_several_mistakes_are_all_found() -> None:
    document = parse("a: x: y\nb: 'open\nc: {x} y\nd\ne: 1\n")
    assert len(document.faults) == 4
    assert value_of(document.root) == {"a": "x: y", "b": "'open", "c": "{x} y", "d": None, "e": 1}


LONG = 32_766
"""Lines that tree-sitter-yaml can count in one block."""


@pytest.mark.parametrize("head", ["|", ">-", "|2-  # why"])
def test_a_block_text_that_is_too_long_is_told_so(head: str) -> None:
    document = parse(f"name: a\ninstruction: {head}\n" + "  x\n" * 40_000 + "description: b\n")
    assert [fault.message for fault in document.faults] == [
        f"this text has 40,000 lines; Rolebook reads no more than {LONG:,}"
    ]
    assert [entry.key.value for entry in document.root.entries] == ["name", "instruction", "description"]  # type: ignore[union-attr]


def test_a_file_that_is_too_long_is_told_so() -> None:
    (fault,) = parse("state:\n" + "  x: y\n" * 33_000).faults
    assert fault.message == f"this file has 33,001 lines; Rolebook reads no more than {LONG:,}"
    assert parse("state:\n" + "  x: y\n" * (LONG - 2)).faults == ()
