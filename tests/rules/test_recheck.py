"""A change rechecks what depends on it, counted; and what is kept equals what a fresh check finds."""

from __future__ import annotations

import pytest
from build import ROOT, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st

from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file
from rolebook.rules.recheck import Recheck

ALONE = "name: agent{n}\ninstruction: Help {{user}}.\n"
STEPS = "sub_agents:\n- config_path: a.yaml\n- config_path: b.yaml\n"
TEAM = {
    "team/root_agent.yaml": f"name: team\nagent_class: SequentialAgent\n{STEPS}",
    "team/a.yaml": "name: a\ninstruction: Find facts.\noutput_key: facts\n",
}


def test_a_new_file_rechecks_only_what_depends_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(at: Snapshot, path: str) -> tuple[Problem, ...]:
        return check_file(at, path) if "/team/" in path else ()  # what is counted is which files are asked for

    monkeypatch.setattr("rolebook.rules.recheck.check_file", check)
    files = {f"many/f{n // 100}/agent{n}.agent.yaml": ALONE.format(n=n) for n in range(10_000)} | TEAM
    paths = [f"{ROOT}/{name}" for name in files]
    recheck, before = Recheck(), snapshot(files)
    for path in paths:
        recheck.problems(before, path)
    assert recheck.runs == 10_002

    new = f"{ROOT}/team/b.yaml"
    after = before.with_texts({new: "name: b\ninstruction: Use {facts}.\n"})
    problems = {path: recheck.problems(after, path) for path in [*paths, new]}
    assert recheck.runs == 10_002 + 3
    assert not any(problems[path] for path in paths if "/team/" in path)


NAMES = ["root_agent.yaml", "a.yaml", "b.yaml", "sub/c.yaml", "tools.py", "rolebook.toml"]
TEXTS = [
    "name: x\nsub_agents:\n- config_path: a.yaml\n- config_path: sub/c.yaml\n",
    "name: x\ninstruction: Hi {user} {fact}.\ntools:\n- name: tools.remember\n",
    "name: y\noutput_key: fact\nstate:\n  user: Ann\n",
    "name: z\nsub_agents:\n- config_path: b.yml\n",
    'def remember(context):\n    context.state["user"] = 1\n',
    "[state]\nfact = 1\n",
]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(TEXTS)), max_size=8))
def test_after_any_edits_it_finds_what_a_fresh_check_finds(edits: list[tuple[str, str]]) -> None:
    recheck, at, files = Recheck(), snapshot({}), dict[str, str]()
    for name, text in edits:
        files[name] = text
        at = at.with_texts({f"{ROOT}/{name}": text})
        fresh = snapshot(files)
        for other in files:
            if not other.endswith(".py"):
                path = f"{ROOT}/{other}"
                assert recheck.problems(at, path) == check_file(fresh, path)
