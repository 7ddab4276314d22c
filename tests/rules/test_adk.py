"""`runtime = "adk-python"`: the verdict of `check` is google-adk's own, on the file where the mistake is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from build import ROOT, snapshot
from cases import load
from corpus import FOLDER, needs_corpus, repositories

from rolebook.problem import Problem, Severity
from rolebook.project.files import DiskFiles, MemoryFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file

CASES: list[dict[str, Any]] = load("adk-load")["cases"]
ADK = 'runtime = "adk-python"\n'
HELPER = "name: helper\nmodel: m\ninstruction: hi\n"


def problems(files: Mapping[str, str], config: str = ADK) -> list[Problem]:
    """The problems of the root agent and everything that its tree reaches."""
    made = snapshot({**files, "rolebook.toml": config})
    tree = made.tree(f"{ROOT}/root_agent.yaml")
    assert tree is not None
    return [problem for path in sorted(tree.files) for problem in check_file(made, path)]


def errors(definition: str, **others: str) -> list[str]:
    files = {"root_agent.yaml": definition, **{f"{name}.py": text for name, text in others.items()}}
    return [problem.message for problem in problems(files) if problem.severity == Severity.ERROR]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_verdict_of_google_adk(case: dict[str, Any]) -> None:
    wrong = {problem.path.removeprefix(f"{ROOT}/") for problem in problems(case["files"]) if problem.severity == 1}
    verdicts = {case["adk-2.13"], case["adk-1.39"]}
    if case["adk-2.13"] == "rejects":
        child = {"sub_nested_up": "d/mid.yaml", "sub_invalid_child": "kid.yaml"}
        assert wrong == {child.get(case["case"], "root_agent.yaml")}
    elif verdicts == {"loads"}:
        assert not wrong


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_rolebook_itself_says_nothing_of_google_adk(case: dict[str, Any]) -> None:
    assert "rejected-by-adk" not in {problem.rule for problem in problems(case["files"], "")}
    made = snapshot({**case["files"], "rolebook.toml": ADK})
    path = f"{ROOT}/root_agent.yaml"
    assert check_file(made, path, runtime="rolebook") == check_file(snapshot(case["files"]), path)


SEVERITIES = [
    ("what Rolebook takes and google-adk refuses", HELPER + "planner: x\n", ("unknown-key", "error")),
    ("what google-adk takes and Rolebook doesn't", HELPER + "name: b\n", ("duplicate-key", "warning")),
    ("what only google-adk says", HELPER + "identity: I am.\n", ("rejected-by-adk", "error")),
    ("what a run may lack", HELPER.replace("hi", "see {artifact.f}"), ("rejected-by-adk", "info")),
    ("a placeholder that both know", HELPER.replace("hi", "Hi {x}"), ("unresolved-placeholder", "error")),
    ("a placeholder to google-adk alone", HELPER.replace("hi", "'{{ x }}'"), ("rejected-by-adk", "error")),
]


@pytest.mark.parametrize(
    ("definition", "expected"), [row[1:] for row in SEVERITIES], ids=[row[0] for row in SEVERITIES]
)
def test_severity(definition: str, expected: tuple[str, str]) -> None:
    assert [(each.rule, each.severity.label) for each in problems({"root_agent.yaml": definition})] == [expected]


def test_comments_and_settings_have_the_last_word() -> None:
    ignored = HELPER + "identity: I am.  # rolebook: ignore[rejected-by-adk]\n"
    assert problems({"root_agent.yaml": ignored}) == []
    off = ADK + '[rules]\nrejected-by-adk = "off"\n'
    assert problems({"root_agent.yaml": HELPER + "identity: I am.\n"}, off) == []


CODE = {"tools": "from os import path\ndef look(): ...\nclass Kept: ...\nmade = Kept()\n"}
NAMES = [
    ("tools: [{name: tools.look}]", None),
    ("tools: [{name: tools.Kept}, {name: tools.made}, {name: tools.path}]", None),
    ("tools: [{name: tools.lookk}]", "google-adk can't import `tools.lookk`: `tools` defines no `lookk`"),
    ("tools: [{name: tool.look}]", "google-adk can't import `tool.look`: there is no module `tool` in this workspace"),
    ("tools: [{name: google_serch}]", "google-adk has no built-in tool `google_serch`; did you mean `google_search`?"),
    ("tools: [{name: APIHubToolset}]", "google-adk makes no `APIHubToolset` from a definition"),
    ("tools: [{name: LongRunningFunctionTool}]", "google-adk needs `func` among the `args`"),
    ("tools: [{name: pydantic.BaseModel}]", None),
    ("sub_agents: [{code: tools.made}]", None),
    ("sub_agents: [{code: tools.look}]", "google-adk wants an agent for `code`, and `tools.look` is a function"),
    ("before_model_callbacks: [{name: tools.look}]", None),
    ("model_code: {name: tools.Kept}", "google-adk wants a model that is made already"),
    ("generate_content_config: {maxOutputTokens: '5'}", None),
    ("generate_content_config: {http_options: {base_url: x}}", "google-adk takes no `base_url` here"),
]


@pytest.mark.parametrize(("line", "expected"), NAMES, ids=[row[0] for row in NAMES])
def test_names_are_looked_for_where_google_adk_imports_them(line: str, expected: str | None) -> None:
    head = HELPER.replace("model: m\n", "") if line.startswith("model") else HELPER
    found = errors(f"{head}{line}\n", **CODE)
    assert len(found) == (expected is not None)
    assert expected is None or found[0].startswith(expected)


EDGES = [
    ("[[START, kid.yaml, {again: k2.yaml, done: kid}], [k2, kid]]", None),
    ("[[kid.yaml, k2.yaml]]", "google-adk wants an edge from `START`"),
    ("[[START, kid.yaml], [k2.yaml, kid]]", "google-adk wants every node within reach"),
    ("[[START, kid.yaml], [START, kid]]", "google-adk takes an edge once"),
    ("[[START, {a: kid.yaml}]]", "google-adk takes no route on an edge from `START`"),
    ("[[START, kid.yaml, {a: k2.yaml}, {b: kid}]]", "google-adk takes no two mappings of routes in a row"),
    ("[[START, nope.yaml]]", "there is no file `nope.yaml`"),
    ("[[START, kid.yaml], [START, twin.yaml]]", "google-adk takes no two nodes of one name"),
]


@pytest.mark.parametrize(("edges", "expected"), EDGES, ids=[row[0] for row in EDGES])
def test_edges_of_a_workflow(edges: str, expected: str | None) -> None:
    kids = {"kid": "kid", "k2": "k2", "twin": "kid"}
    files = {f"{file}.yaml": HELPER.replace("helper", name) for file, name in kids.items()}
    root = f"agent_class: Workflow\nname: flow\nedges: {edges}\n"
    found = [problem.message for problem in problems({**files, "root_agent.yaml": root}) if problem.severity == 1]
    assert len(found) == (expected is not None)
    assert expected is None or found[0].startswith(expected)


def test_the_names_of_google_adk_stay_unread_elsewhere() -> None:
    script = (
        "import sys; from rolebook.project.files import MemoryFiles; from rolebook.project.snapshot import Snapshot;"
        "from rolebook.rules import check_file;"
        "check_file(Snapshot(MemoryFiles({'/a/root_agent.yaml': 'name: a'}), '/a'), '/a/root_agent.yaml');"
        "assert 'rolebook.definition.adk_names' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


EXPLAINED = {
    "no-module": "there is no module",  # the Python code that a sample refers to isn't in the corpus
    "no-file": "there is no file",  # nor are some of its definitions
    "stdio": "starts no MCP server of a definition's",  # 2.13 wants an environment variable for that
    "schema-code": "`output_schema_code` is no key",  # 2.13 refuses its own sample
}


@needs_corpus
def test_corpus_has_no_error_that_google_adk_would_not_give() -> None:
    for repository in repositories():
        files = MemoryFiles({str(FOLDER / "rolebook.toml"): ADK}, DiskFiles())
        made = Snapshot(files, str(FOLDER))
        for path in sorted(repository.rglob("*.yaml")):
            for problem in check_file(made, str(path)):
                if problem.severity == Severity.ERROR:
                    assert any(reason in problem.message for reason in EXPLAINED.values()), (path, problem)
