"""Fixes, on every case that there is: each safe one mends its problem and adds none, all together come to an end."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

import pytest
from build import ROOT, snapshot
from hypothesis import given
from hypothesis import strategies as st
from literate import CASES, Case, cases

from rolebook.problem import Fix, Problem, Severity
from rolebook.project.snapshot import Snapshot
from rolebook.record import replace
from rolebook.rules import all_rules, check_file, fixing
from rolebook.rules.fixing import fix_files
from rolebook.rules.rule import Rule, Subject
from rolebook.text import Edit, Span, apply

ALL = [case for folder in sorted(os.listdir(CASES)) for case in cases(folder) if case.files]
ENDINGS = (".yaml", ".yml", ".md", ".toml")


def paths_of(files: Mapping[str, str]) -> list[str]:
    return [f"{ROOT}/{name}" for name in files if name.endswith(ENDINGS)]


def problems(workspace: Snapshot, paths: list[str], least: Severity = Severity.HINT) -> Counter[tuple[str, str, str]]:
    """How often each problem is there; its place moves with a fix, so it doesn't count.

    What is only told of other files is left out: its words change with every fix of these.
    """
    found = [each for path in paths for each in check_file(workspace, path) if each.severity <= least]
    return Counter((each.path, each.rule, each.message) for each in found if each.rule != "errors-below")


def safe_fixes(workspace: Snapshot, paths: list[str]) -> list[tuple[Problem, Fix]]:
    found = [problem for path in paths for problem in check_file(workspace, path)]
    return [(problem, fix) for problem in found for fix in problem.fixes if fix.safe]


HIDING = {
    "agents: Names",
    "agents: What `<<` brings in is checked as well",
    "compressors: Strategies",
    "schemas: Keywords",
    "schemas: What is required is among the properties",
    "state: Not a mapping",
    "sub_agents: A file's name alone",
    "sub_agents: One reference in place of a list",
    "sub_agents: A misspelt reference is no agent without a name",
    "texts: A placeholder alone is read as a mapping, a word in brackets as a list",
    "texts: A plain word that is a boolean, a number, a date or nothing",
    "unresolved-placeholder: In a file whose tree lies above",
}
"""Cases in which a mistake hides another one of the same value, which a fix of the first brings to light."""

FIXABLE = [case for case in ALL if safe_fixes(snapshot(case.files), paths_of(case.files))]


@pytest.mark.parametrize("case", FIXABLE, ids=lambda case: case.name)
def test_each_safe_fix_mends_its_problem_and_adds_none(case: Case) -> None:
    workspace, paths = snapshot(case.files), paths_of(case.files)
    before = problems(workspace, paths)
    for problem, fix in safe_fixes(workspace, paths):
        text = workspace.read(problem.path)
        assert isinstance(text, str)
        after = problems(workspace.with_texts({problem.path: apply(text, fix.edits)}), paths)
        told = (problem.path, problem.rule, problem.message)
        assert after[told] < before[told], f"{fix.title} leaves {told}"
        assert not after - before or case.name in HIDING, f"{fix.title} adds a problem"


@pytest.mark.parametrize("case", FIXABLE, ids=lambda case: case.name)
def test_all_fixes_reach_a_fixed_point(case: Case) -> None:
    workspace, paths = snapshot(case.files), paths_of(case.files)
    fixed = fix_files(workspace, paths)
    assert fixed.texts or case.name in HIDING
    assert sum(fixed.counts.values()) >= len(fixed.texts)
    again = fix_files(fixed.snapshot, paths)
    assert (again.texts, again.counts) == ({}, {})
    assert not problems(fixed.snapshot, paths, Severity.ERROR) - problems(workspace, paths, Severity.ERROR)


MISTAKES = {
    "name: support\n": "nmae: support\n",
    "model: gpt-4o\n": "modl: gpt-4o\n",
    "description: Helps people.\n": "description: no\n",
    "instruction: Hi {user_name}, you have {plan}.\n": "instruction: Hi {usr_name}, you have {paln}.\n",
    "include_contents: none\n": "include_contents: None\n",
    "generate_content_config: {temperature: 0.5}\n": "generate_content_config: {temprature: 0.5}\n",
    "state: {user_name: Ann, plan: gold}\n": "stat: {user_name: Ann, plan: gold}\n",
    "sub_agents: [{config_path: kid.yaml}]\n": "sub_agnets: [{config_path: kid.yaml}]\n",
}


@given(wrong=st.sets(st.sampled_from(sorted(MISTAKES))), ends=st.sampled_from(["\n", "\r\n"]), order=st.randoms())
def test_any_mistakes_together_are_mended_as_far_as_each_alone(wrong: set[str], ends: str, order) -> None:  # type: ignore[no-untyped-def]
    lines = sorted(MISTAKES)
    order.shuffle(lines)

    def text(mistakes: set[str]) -> str:
        return "".join(MISTAKES[line] if line in mistakes else line for line in lines).replace("\n", ends)

    def after(mistakes: set[str]) -> str:
        workspace = snapshot({"root_agent.yaml": text(mistakes), "kid.yaml": "name: kid\ndescription: x\n"})
        fixed = fix_files(workspace, [f"{ROOT}/root_agent.yaml"])
        left = Counter(p.rule for p in check_file(workspace, f"{ROOT}/root_agent.yaml"))
        assert not Counter(p.rule for p in check_file(fixed.snapshot, f"{ROOT}/root_agent.yaml")) - left
        return fixed.texts.get(f"{ROOT}/root_agent.yaml", text(mistakes))

    mended = {line: after({line}).split(ends)[lines.index(line)] for line in wrong}
    assert after(wrong) == "".join(mended.get(line, line.rstrip()) + ends for line in lines)


def rule_of(fixes: Mapping[str, str], safe: bool = True, message: str = "m") -> Rule:
    """A rule that finds each key of `fixes` in a text, and replaces it by the value."""

    def check(rule: Rule, subject: Subject):  # type: ignore[no-untyped-def]
        text = subject.source.text.source
        for wrong, right in fixes.items():
            at = text.find(wrong)
            while at >= 0:
                span = Span(at, at + len(wrong))
                yield rule.problem(subject, span, message, fixes=(Fix("t", (Edit(span, right),), safe),))
                at = text.find(wrong, at + 1)

    return Rule("test-rule", Severity.HINT, check)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Puts one rule beside the usual ones."""

    def install(fixes: Mapping[str, str], *, safe: bool = True) -> None:
        rules = {**all_rules(), "test-rule": rule_of(fixes, safe)}
        monkeypatch.setattr("rolebook.rules.all_rules", lambda: rules)

    return install


def fixed_text(text: str, **others: str) -> tuple[str, int]:
    files = {"root_agent.yaml": text, **{f"{name}.yaml": other for name, other in others.items()}}
    path = f"{ROOT}/root_agent.yaml"
    fixed = fix_files(snapshot(files), paths_of(files))
    return fixed.texts.get(path, text), fixed.counts.get(path, 0)


def test_of_two_that_overlap_the_first_wins_and_the_next_round_takes_the_other(only) -> None:  # type: ignore[no-untyped-def]
    only({"abc": "c", "cde": "E"})
    assert fixed_text("name: a # abcde\n") == ("name: a # E\n", 2)


def test_fixes_that_undo_each_other_leave_the_text_as_it_was(only) -> None:  # type: ignore[no-untyped-def]
    only({"ping": "pong", "pong": "ping", "wrong": "right"})
    assert fixed_text("name: a # ping\n") == ("name: a # ping\n", 0)
    assert fixed_text("name: a # wrong ping\n") == ("name: a # right pong\n", 2)


def test_a_cycle_in_one_file_keeps_no_other_from_its_fixes(only) -> None:  # type: ignore[no-untyped-def]
    only({"ping": "pong", "pong": "ping", "w1": "w2", "w2": "w3", "w3": "w4"})
    files = {"root_agent.yaml": "name: a # ping\n", "b.agent.yaml": "name: b # w1\n"}
    fixed = fix_files(snapshot(files), paths_of(files))
    assert fixed.texts == {f"{ROOT}/b.agent.yaml": "name: b # w4\n"}
    assert fixed.counts == {f"{ROOT}/b.agent.yaml": 3}


def test_a_text_that_grows_for_ever_comes_to_an_end(only) -> None:  # type: ignore[no-untyped-def]
    only({"# ": "# +"})
    assert fixed_text("name: a # x\n") == (f"name: a # {'+' * fixing.MOST_ROUNDS}x\n", fixing.MOST_ROUNDS)


BREAKING = {
    "a syntax fault": {"good": "bad: x: ["},
    "a key that must be there": {"name: a": "description: a"},
    "a value of a wrong type": {"description: good": "description: 5"},
    "a syntax fault that is silenced": {"good # rolebook": "x: y # rolebook"},
}


@pytest.mark.parametrize("fixes", BREAKING.values(), ids=BREAKING)
def test_a_fix_that_breaks_the_file_is_dropped_and_the_others_are_not(fixes: dict[str, str], only) -> None:  # type: ignore[no-untyped-def]
    only({**fixes, "wrong": "right"})
    text = "name: a\ndescription: good # rolebook: ignore[syntax-error]\n# wrong wrong\n"
    assert fixed_text(text) == (text.replace("wrong", "right"), 2)


def test_a_fix_that_breaks_another_file_is_dropped(only) -> None:  # type: ignore[no-untyped-def]
    only({"c.yaml": "b.yaml"})
    text = "name: a\nsub_agents: [{config_path: b.yaml}, {name: x, sub_agents: [{config_path: c.yaml}]}]\n"
    files = {"b": "name: b\nsub_agents: [{config_path: c.yaml}]\n", "c": "name: c\n"}
    assert fixed_text(text, **files)[0] == text.replace("c.yaml", "b.yaml")
    only({"b.yaml # here": "root_agent.yaml # here"})
    text = "name: a\nsub_agents:\n  - config_path: b.yaml # here\n"
    assert fixed_text(text, **files) == (text, 0)


def test_only_safe_and_wanted_fixes_are_applied(only) -> None:  # type: ignore[no-untyped-def]
    only({"wrong": "right"}, safe=False)
    assert fixed_text("name: a # wrong\n") == ("name: a # wrong\n", 0)
    only({"wrong": "right"})
    workspace = snapshot({"root_agent.yaml": "name: a # wrong\nmodl: x\n"})
    fixed = fix_files(workspace, [f"{ROOT}/root_agent.yaml"], lambda problem: problem.rule == "unknown-key")
    assert fixed.texts == {f"{ROOT}/root_agent.yaml": "name: a # wrong\nmodel: x\n"}


def test_line_ends_stay_those_of_the_file(only) -> None:  # type: ignore[no-untyped-def]
    only({"wrong": "a\n# b"})
    assert fixed_text("name: a # wrong\r\nmodel: x\r\n")[0] == "name: a # a\r\n# b\r\nmodel: x\r\n"
    assert fixed_text("name: a # wrong\nmodel: x\n")[0] == "name: a # a\n# b\nmodel: x\n"


def test_a_file_that_a_fix_leads_to_is_fixed_too() -> None:
    root = "name: a\nsub_agents:\n  - config_path: d\\kid.yaml\n"
    files = {"root_agent.yaml": root, "d/kid.yaml": "name: k\nmodl: x\n"}
    fixed = fix_files(snapshot(files), [f"{ROOT}/root_agent.yaml"])
    assert fixed.texts[f"{ROOT}/d/kid.yaml"] == "name: k\nmodel: x\n"


def test_a_file_that_nobody_asked_for_stays() -> None:
    workspace = snapshot({"root_agent.yaml": "nmae: a\nsub_agents: [{config_path: k.yaml}]\n", "k.yaml": "nmae: k\n"})
    assert set(fix_files(workspace, [f"{ROOT}/k.yaml"]).texts) == {f"{ROOT}/k.yaml"}


def test_a_fix_that_does_not_fit_the_text_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(rule: Rule, subject: Subject):  # type: ignore[no-untyped-def]
        twice = (Edit(Span(0, 4), "x"), Edit(Span(2, 6), "y"))
        for edits in ((), twice, (Edit(Span(0, 10**6), "z"),), (Edit(Span(5, 2), "w"),)):
            yield replace(rule.problem(subject, Span(0, 1), "m"), fixes=(Fix("t", edits),))

    rules = {**all_rules(), "test-rule": Rule("test-rule", Severity.HINT, check)}
    monkeypatch.setattr("rolebook.rules.all_rules", lambda: rules)
    assert fixed_text("name: support\n") == ("name: support\n", 0)


def test_errors_that_are_told_of_another_file_hold_up_none_of_its_fixes() -> None:
    files = {
        "rolebook.toml": '[rules]\nerrors-below = "error"\n',
        "root_agent.yaml": "name: a\nsub_agents: [{config_path: k.yaml}]\n",
        "k.yaml": "name: k\nmodl: x\ninclude_contents: nothing\n",
    }
    assert set(fix_files(snapshot(files), paths_of(files)).texts) == {f"{ROOT}/k.yaml"}
