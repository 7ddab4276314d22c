"""Comments that silence rules, as small files. `rules` are what is left."""

from __future__ import annotations

import pytest
from build import ROOT, snapshot

from rolebook.rules import check_file

CASES = {
    "on the line": ("name: a\nnote: x  # rolebook: ignore[unknown-key]\n", []),
    "on a line of its own above": ("name: a\n# rolebook: ignore[unknown-key]\nnote: x\n", []),
    "above, with another comment between": ("name: a\n# rolebook: ignore[unknown-key]\n# why\nnote: x\n", []),
    "another rule": (
        "name: a\nnote: x  # rolebook: ignore[missing-key]\n",
        ["unknown-key", "unused-ignore"],
    ),
    "several rules": ("name: a-b  # rolebook: ignore[invalid-name, unknown-key]\n", ["unused-ignore"]),
    "a rule that isn't": ("name: a\n# rolebook: ignore[unknwon-key]\nnote: x\n", ["unused-ignore", "unknown-key"]),
    "nothing to silence": ("name: a  # rolebook: ignore[unknown-key]\n", ["unused-ignore"]),
    "at the key of a block text": (
        "name: a\ninstruction: |  # rolebook: ignore[unresolved-placeholder]\n  Hi\n  {user}\n",
        [],
    ),
    "above the key of a block text": (
        "name: a\n# rolebook: ignore[unresolved-placeholder]\ninstruction: |\n  Hi\n  {user}\n",
        [],
    ),
    "inside a text it is text": (
        "name: a\ninstruction: |\n  {user} # rolebook: ignore[unresolved-placeholder]\n",
        ["unresolved-placeholder"],
    ),
    "a syntax error": ("name: a\nnote: x: y # rolebook: ignore[syntax-error, unknown-key]\n", []),
}


@pytest.mark.parametrize(("text", "rules"), CASES.values(), ids=CASES)
def test_what_is_left(text: str, rules: list[str]) -> None:
    problems = check_file(snapshot({"root_agent.yaml": text}), f"{ROOT}/root_agent.yaml")
    assert [problem.rule for problem in problems] == rules


def test_in_markdown_the_comment_stands_in_the_front_matter() -> None:
    text = "---\nagent_class: LlmAgent\nname: a\n# rolebook: ignore[unresolved-placeholder]\n---\nHi\n{user}\n"
    assert check_file(snapshot({"x.agent.md": text}), f"{ROOT}/x.agent.md") == ()


FRONT = "---\nagent_class: LlmAgent\n{first}name: a{behind}\n---\n{body}\n"
PLACED = {
    "on a line of its own above another key": ("# rolebook: ignore[unresolved-placeholder]\n", "", "Hi\n{user}", []),
    "behind another key": ("", "  # rolebook: ignore[unresolved-placeholder]", "{user}", []),
    "in the body it is text": (
        "",
        "",
        "# rolebook: ignore[unresolved-placeholder]\n{user}",
        ["unresolved-placeholder"],
    ),
    "for the body and the line": (
        "modl: x # rolebook: ignore[unknown-key, missing-key]\n",
        "",
        "Hi",
        ["unused-ignore"],
    ),
}


@pytest.mark.parametrize(("first", "behind", "body", "rules"), PLACED.values(), ids=PLACED)
def test_the_front_matter_speaks_for_the_body(first: str, behind: str, body: str, rules: list[str]) -> None:
    text = FRONT.replace("{first}", first).replace("{behind}", behind).replace("{body}", body)
    problems = check_file(snapshot({"x.agent.md": text}), f"{ROOT}/x.agent.md")
    assert [problem.rule for problem in problems] == rules
