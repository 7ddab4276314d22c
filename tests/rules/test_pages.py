"""Each rule's page is run: what stands under Example has the problem, what stands under Instead has none at all."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from build import ROOT, snapshot

from rolebook.problem import Problem
from rolebook.rules import all_rules, check_file
from rolebook.rules.pages import pages, redraw
from rolebook.rules.rule import Rule

FOLDER = Path(__file__).parents[2] / "docs" / "rules"
FENCE = re.compile(r"```(?:yaml|toml|python)(?: file=(\S+))?\n(.*?)```", re.DOTALL)


def section(rule: Rule, title: str) -> dict[str, str]:
    """The files under a heading of the page; the first is the one that is checked."""
    body = rule.page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return {name or "root_agent.yaml": dedent(text) for name, text in FENCE.findall(body)}


def problems(files: dict[str, str]) -> tuple[Problem, ...]:
    return check_file(snapshot(files), f"{ROOT}/{next(iter(files))}")


EXEMPLIFIED = [rule for rule in all_rules().values() if "```" in rule.page]
"""All but the one about files that can't be read, whose example is no text."""


@pytest.mark.parametrize("rule", EXEMPLIFIED, ids=lambda rule: rule.name)
def test_example_has_the_problem(rule: Rule) -> None:
    assert rule.name in [problem.rule for problem in problems(section(rule, "Example"))]


@pytest.mark.parametrize("rule", EXEMPLIFIED, ids=lambda rule: rule.name)
def test_instead_has_none(rule: Rule) -> None:
    assert problems(section(rule, "Instead")) == ()


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.name)
def test_page_says_what_and_why(rule: Rule) -> None:
    summary = rule.page.splitlines()[0]
    assert summary.endswith((".", ":")) and "## Why\n" in rule.page
    assert rule.check.__module__.startswith("rolebook.rules.")


def test_the_pages_in_docs_are_as_generated() -> None:
    drawn = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    assert drawn == pages(), "docs/rules is out of date; run: python -m rolebook.rules.pages docs/rules"


def test_the_index_lists_each_rule_once() -> None:
    links = re.findall(r"\]\((\S+)\.md\)", pages()["README.md"])
    assert sorted(links) == sorted(all_rules())


def test_redrawing_takes_away_the_page_of_a_rule_that_is_no_more(tmp_path: Path) -> None:
    (tmp_path / "old-rule.md").write_text("x", encoding="utf-8")
    (tmp_path / "kept.txt").write_text("x", encoding="utf-8")
    redraw(str(tmp_path))
    assert {file.name for file in tmp_path.iterdir()} == {*pages(), "kept.txt"}
