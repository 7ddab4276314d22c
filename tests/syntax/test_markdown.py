"""Markdown definitions: front matter is the mapping, the exact body is the instruction."""

from __future__ import annotations

from build import ROOT, snapshot

from rolebook.project.discover import is_definition
from rolebook.rules import check_file
from rolebook.syntax.markdown import parse_markdown
from rolebook.syntax.yaml import value_of

DEFINITION = "---\nagent_class: LlmAgent\nname: md\nstate: {a: 1}\n---\n\nHello {a}.\n\n---\nBye {b}\r\n"
BODY = "\nHello {a}.\n\n---\nBye {b}\r\n"


def test_the_body_is_the_instruction_as_it_stands() -> None:
    document = parse_markdown(DEFINITION)
    assert value_of(document.root) == {"agent_class": "LlmAgent", "name": "md", "state": {"a": 1}, "instruction": BODY}
    assert document.faults == ()


def test_problems_in_the_body_have_their_place() -> None:
    problems = check_file(snapshot({"x.agent.md": DEFINITION}), f"{ROOT}/x.agent.md")
    assert [(problem.rule, DEFINITION[slice(*problem.span)]) for problem in problems] == [
        ("unresolved-placeholder", "b")
    ]


def test_front_matter_that_is_never_closed_is_a_fault() -> None:
    document = parse_markdown("---\nname: md\n")
    assert value_of(document.root) == {"name": "md"}
    assert [fault.span for fault in document.faults] == [(0, 3)]


def test_a_text_without_front_matter_is_a_fault() -> None:
    assert len(parse_markdown("# Just a page\n").faults) == 1
    assert len(parse_markdown("").faults) == 1


def test_an_empty_body_is_no_instruction() -> None:
    assert value_of(parse_markdown("---\nname: md\n---\n\n").root) == {"name": "md"}


def test_both_an_instruction_and_a_body_is_a_duplicate() -> None:
    text = "---\nagent_class: LlmAgent\nname: md\ninstruction: x\n---\nbody\n"
    problems = check_file(snapshot({"x.agent.md": text}), f"{ROOT}/x.agent.md")
    assert [problem.rule for problem in problems] == ["duplicate-key"]


def test_only_marked_or_named_files_are_definitions() -> None:
    made = snapshot(
        {
            "marked.agent.md": DEFINITION,
            "other.agent.md": "---\ndescription: another tool's\n---\nHi\n",
            "named.agent.md": "---\nname: n\n---\nHi\n",
            "root_agent.yaml": "name: a\nsub_agents: [{config_path: named.agent.md}]\n",
        }
    )
    found = {name: is_definition(made, f"{ROOT}/{name}.agent.md") for name in ("marked", "other", "named")}
    assert found == {"marked": True, "other": False, "named": True}
