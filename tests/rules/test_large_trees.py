"""Rules about trees, on trees that multiply: what is told is counted."""

from __future__ import annotations

from build import ROOT, snapshot

from rolebook.problem import Problem
from rolebook.rules import check_file


def problems(files: dict[str, str], name: str = "root_agent.yaml") -> list[Problem]:
    return list(check_file(snapshot(files), f"{ROOT}/{name}"))


def test_a_reference_that_leads_nowhere_is_told_once() -> None:
    files = {
        f"a{level}.yaml": f"name: a{level}\ndescription: A.\nsub_agents:\n"
        + f"  - config_path: a{level + 1}.yaml\n" * 6
        for level in range(5)
    }
    found = problems({"root_agent.yaml": "name: top\nsub_agents: [{config_path: a0.yaml}]\n", **files}, "a4.yaml")
    assert [problem.rule for problem in found].count("missing-file") == 6


def test_many_peers_with_wrong_names_are_all_told() -> None:
    peers = "".join(
        f"  - {{name: k{n}, description: K., instruction: Transfer to `nobody_agent` or `k{n}_`.}}\n"
        for n in range(300)
    )
    found = problems({"root_agent.yaml": f"name: top\nsub_agents:\n{peers}"})
    assert len([problem for problem in found if problem.rule == "unknown-transfer-target"]) >= 300


def test_a_text_of_calls_is_judged_up_to_a_limit() -> None:
    calls = "  transfer_to_agent('nobody')\n" * 3_000
    found = problems({"root_agent.yaml": f"name: top\ninstruction: |\n{calls}"})
    assert len(found) == 1_000


def test_loops_in_sequences_in_loops() -> None:
    text = "agent_class: SequentialAgent\nname: s0\nsub_agents:\n"
    for level in range(1, 20):
        kind = "LoopAgent" if level % 2 else "SequentialAgent"
        indent = "  " * level
        text += f"{indent}- name: a{level}\n{indent}  agent_class: {kind}\n{indent}  sub_agents:\n"
    text += f"{'  ' * 20}- name: leaf\n  - name: last\n"
    found = problems({"root_agent.yaml": text})
    assert [problem.rule for problem in found].count("endless-loop") == 10
    assert [problem.rule for problem in found].count("unreachable-agent") == 1
