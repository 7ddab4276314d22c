"""What "expand selection" takes, step by step."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.selection import selection


def steps(text: str) -> list[str]:
    given = scene(text)
    whole = given.text(given.path)
    return [whole[start:end] for start, end in selection(given.snapshot, given.path, given.offset)]


def test_from_a_word_to_the_file() -> None:
    text = (
        "name: a\nsub_agents:\n  - name: b\n    instruction: |\n"
        "      Hi {user:na$0me?}, hello.\n      More.\n\n      End.\n"
    )
    assert steps(text)[:6] == [
        "name",
        "user:name",
        "{user:name?}",
        "Hi {user:name?}, hello.",
        "Hi {user:name?}, hello.\n      More.",
        "Hi {user:name?}, hello.\n      More.\n\n      End.\n",
    ]
    rest = [step.split("\n")[0] for step in steps(text)[6:]]
    assert rest == ["|", "instruction: |", "name: b", "- name: b", "sub_agents:", "name: a"]


def test_a_quoted_value_is_taken_without_its_quotes_first() -> None:
    assert steps('name: "so$0me"\n') == ["some", '"some"', 'name: "some"', 'name: "some"\n']


def test_a_key() -> None:
    assert steps("na$0me: a\nmodel: x")[:3] == ["name", "name: a", "name: a\nmodel: x"]


def test_outside_of_everything() -> None:
    assert steps("$0") == [""]
    assert steps("name: a\n\n$0\n\n# c\n")[-1] == "name: a\n\n\n\n# c\n"
