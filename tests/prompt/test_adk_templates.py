"""Placeholders for `runtime = "adk-python"`: google-adk's text, and a problem wherever it would end the run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from build import ROOT, snapshot
from cases import load

from rolebook.problem import Severity
from rolebook.prompt.compile import compile_request
from rolebook.prompt.context import Context
from rolebook.rules import check_file
from rolebook.syntax.adk_template import adk_fill

DATA = load("adk-templates")
CASES: list[dict[str, Any]] = DATA["cases"]
FILLED = [case for case in CASES if "out" in case]


def _id(case: dict[str, Any]) -> str:
    return ascii(case["template"]) + ("" if "artifact_service" not in case else " without a service")


def _files(template: str) -> dict[str, str]:
    """A definition with this instruction, in a workspace that declares the state of the cases."""
    declared = "".join(f"{json.dumps(key, ensure_ascii=False)} = {json.dumps('x')}\n" for key in DATA["state"])
    definition = {"name": "agent", "model": "m", "instruction": template}
    return {
        "root_agent.yaml": json.dumps(definition, ensure_ascii=False),
        "rolebook.toml": f'runtime = "adk-python"\n[state]\n{declared}',
    }


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_text_or_failure(case: dict[str, Any]) -> None:
    text, failures = adk_fill(case["template"], DATA["state"], case.get("artifact_service", DATA["artifacts"]))
    assert text == case["out"] if "out" in case else failures
    assert bool(failures) == ("out" not in case)


@pytest.mark.parametrize("case", FILLED, ids=_id)
def test_requests_are_compiled_so(case: dict[str, Any]) -> None:
    tree = snapshot(_files(case["template"])).tree(f"{ROOT}/root_agent.yaml")
    assert tree is not None
    compiled = compile_request(tree, tree.root, Context(state=DATA["state"], artifacts=DATA["artifacts"]))
    assert compiled.request.dynamic_system_instruction == case["out"]


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_what_fails_is_a_problem(case: dict[str, Any]) -> None:
    """Whether an artifact is there only a run can tell, so an optional one that no service holds is not foreseen."""
    found = check_file(snapshot(_files(case["template"])), f"{ROOT}/root_agent.yaml")
    worst = min((problem.severity for problem in found if problem.rule != "syntax-error"), default=Severity.HINT)
    if "out" in case:
        assert worst > Severity.ERROR
    elif "artifact." in case["template"]:
        assert worst <= Severity.INFO or "?" in case["template"]
    else:
        assert worst == Severity.ERROR
