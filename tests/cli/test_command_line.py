"""The commands as a user calls them: what they print, and their exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rolebook_cli.main import main

BROKEN = "name: support\nmodl: x\ninstruction: Hi {usr_name}.\nstate: {user_name: Ann}\n"
FINE = "name: support\nmodel: gpt-4o\ndescription: Helps.\ninstruction: Hi {user_name}.\nstate: {user_name: Ann}\n"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(BROKEN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def fine(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(FINE, encoding="utf-8")
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return status, out, err


def test_check_shows_the_line_with_carets(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "check", broken)
    lines = out.splitlines()
    assert status == 1
    assert lines[0].endswith(
        "root_agent.yaml:2:1: error: `modl` is no key of an LlmAgent; did you mean `model`? [unknown-key]"
    )
    assert lines[1:4] == ["  2 | modl: x", "    | ^^^^", "  = fix: Rename to `model`"]
    assert lines[5:7] == ["  3 | instruction: Hi {usr_name}.", "    |                  ^^^^^^^^"]
    assert lines[-1] == "1 error, 1 warning, 1 hint in 1 file; `--fix` can mend 2"


def test_check_of_a_fine_file(fine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "check", fine)[:2] == (0, "no problems in 1 file\n")


def test_check_as_json(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "check", broken, "--format", "json")
    first = json.loads(out)["problems"][0]
    assert status == 1
    assert (first["rule"], first["severity"]) == ("unknown-key", "error")
    assert first["range"] == {"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 5}}
    assert first["fixes"][0]["edits"] == [{"range": first["range"], "text": "model"}]


@pytest.mark.parametrize("args", [["check", "gone.yaml"], ["explain", "unknwn-key"], ["chek"], ["compile", "gone"]])
def test_what_cannot_be_done_is_one_line_and_status_two(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, *args)
    assert (status, out) == (2, "")
    assert err.startswith("rolebook: ")


def test_an_unreadable_file_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "root_agent.yaml").write_bytes(b"name: a\ndescription: \xff\n")
    status, _, err = call(capsys, "check", tmp_path / "root_agent.yaml")
    assert status == 2
    assert err.endswith("root_agent.yaml can't be read: line 2 holds bytes that are no UTF-8 text\n")


def compiled(capsys: pytest.CaptureFixture[str], *args: object) -> Any:
    status, out, _ = call(capsys, "compile", *args, "--format", "json")
    assert status == 0
    return json.loads(out)


def test_compile_as_json(fine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (request,) = compiled(capsys, fine)
    assert list(request) == [
        "agent", "model", "instruction", "static_system_instruction", "dynamic_system_instruction", "messages", "tools",
        "generate_content_config", "output_schema",
    ]  # fmt: skip
    assert request["static_system_instruction"] == "You are support. Helps."
    assert request["dynamic_system_instruction"] == "Hi Ann."


def test_compile_with_state_model_config_and_events(
    fine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"id": 1, "author": "user", "branch": null, "text": "Hello"}\n', encoding="utf-8")
    (request,) = compiled(
        capsys, fine, "--state", "user_name=[1,2]", "--model", "gpt-5", "--config", "temperature=0.5",
        "--events", events
    )  # fmt: skip
    assert request["dynamic_system_instruction"] == "Hi [1,2]."
    assert (request["model"], request["generate_content_config"]) == ("gpt-5", {"temperature": 0.5})
    assert request["messages"] == [{"role": "user", "parts": [{"text": "Hello"}], "event": 1, "invocation": None}]


def test_events_come_without_samples(fine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events.json"
    events.write_text("[]", encoding="utf-8")
    (request,) = compiled(capsys, fine, "--events", events)
    assert request["dynamic_system_instruction"] == "Hi {user_name}."


def test_bad_events_name_their_line(fine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"id": 1, "author": "user"}\n{"id": 2}\n', encoding="utf-8")
    status, _, err = call(capsys, "compile", fine, "--events", events)
    assert status == 2
    assert err.endswith("events.jsonl, line 2: an event has no `author`\n")


def test_compile_of_a_broken_tree_prints_what_it_can(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "compile", broken)
    assert status == 1
    assert "You are support." in out and "[unknown-key]" in err


@pytest.mark.parametrize("provider", ["gemini", "anthropic", "openai"])
def test_compile_prints_exactly_one_body(fine: Path, provider: str) -> None:
    command = [sys.executable, "-m", "rolebook_cli", "compile", str(fine), "--for", provider]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    body = json.loads(printed)
    assert printed == json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    assert "Hi Ann." in printed.decode()


def test_explain_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "explain", "unknown-key")
    assert status == 0 and out.startswith("# unknown-key (error)\n") and "## Why" in out


NEVER_FOR_CHECK = ("lsprotocol", "pygls", "httpx", "pydantic", "asyncio", "rolebook_server", "rolebook_runner")


def test_check_loads_nothing_that_it_does_not_need(fine: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "rolebook_cli", "check", str(fine)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    loaded = {module.partition(".")[0] for module in modules}
    assert "rolebook" in loaded
    assert loaded.isdisjoint(NEVER_FOR_CHECK)
    assert "rolebook.syntax.python" not in modules  # this definition names no function


def run_status(capsys: pytest.CaptureFixture[str], folder: Path, definition: str, config: str = "") -> int:
    (folder / "root_agent.yaml").write_text(definition, encoding="utf-8")
    (folder / "rolebook.toml").write_text(config, encoding="utf-8")
    return call(capsys, "run", folder, "Hi", "--model", "rehearsal")[0]


RUNS = {
    "a warning": ("name: a\ninstruction: '{x}'\n", "", 0),
    "an error": ("name: a\nmodl: x\n", "", 1),
    "an error that is ignored": ("name: a\nmodl: x  # rolebook: ignore[unknown-key]\n", "", 0),
    "an error that is off": ("name: a\nmodl: x\n", '[rules]\nunknown-key = "off"\n', 0),
    "a missing file, which can't be silenced": (
        "name: a\nsub_agents:\n  - config_path: x.yaml  # rolebook: ignore[missing-file]\n",
        "",
        1,
    ),
    "a syntax error, which can't be silenced": ("name: a\ndescription: x: y\n", '[rules]\nsyntax-error = "off"\n', 1),
    "what only google-adk refuses": (
        "name: a\nstate: {x: 1}\ninstruction: '{x}'\n",
        'runtime = "adk-python"\n',
        0,
    ),
    "a workflow": ("agent_class: Workflow\nname: a\nedges: []\n", "", 2),
}


@pytest.mark.parametrize(("definition", "config", "status"), RUNS.values(), ids=RUNS)
def test_which_trees_are_run(
    definition: str, config: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_status(capsys, tmp_path, definition, config) == status


def test_a_refused_transfer_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    definition = "name: a\nsub_agents: [{name: b}]\nrehearsal: [{transfer: nope}, {say: done}]\n"
    (tmp_path / "root_agent.yaml").write_text(definition, encoding="utf-8")
    status, out, _ = call(capsys, "run", tmp_path, "hi")
    assert status == 0
    assert "a was refused to hand over: " in out and "nope" in out and out.endswith("a: done\n")


def test_the_rounds_of_a_loop_have_lines_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    definition = (
        "agent_class: LoopAgent\nname: l\nmax_iterations: 2\nsub_agents: [{name: b, rehearsal: [{say: x}, {say: y}]}]\n"
    )
    (tmp_path / "root_agent.yaml").write_text(definition, encoding="utf-8")
    assert call(capsys, "run", tmp_path, "hi")[1].count("\n") == 2


def test_a_workflow_has_no_request_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    definition = "agent_class: SequentialAgent\nname: s\nsub_agents: [{name: x, model: gpt-4o}]\n"
    (tmp_path / "root_agent.yaml").write_text(definition, encoding="utf-8")
    assert [request["agent"] for request in compiled(capsys, tmp_path)] == ["x"]


def test_events_with_a_mark_and_odd_line_ends_are_read(
    fine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"id": 1, "author": "user", "text": "a\u2028b"}\n', encoding="utf-8-sig")
    (request,) = compiled(capsys, fine, "--events", events)
    assert request["messages"][0]["parts"] == [{"text": "a\u2028b"}]


def test_graph_in_each_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "root_agent.yaml").write_text(
        "name: top\nsub_agents:\n  - name: a\n    description: A.\n  - name: b\n    description: B.\n", encoding="utf-8"
    )
    assert call(capsys, "graph", tmp_path)[:2] == (0, MERMAID)
    assert call(capsys, "graph", tmp_path, "--format", "text", "--agent", "a")[1].startswith("top · LlmAgent → a\n")
    status, out, _ = call(capsys, "graph", tmp_path, "--format", "json")
    graph = json.loads(out)
    assert (status, graph["complete"], [node["name"] for node in graph["nodes"]]) == (0, True, ["top", "a", "b"])
    first = graph["edges"][0]
    assert (first["from"], first["to"], first["kind"], first["range"]["start"]) == (0, 1, "sub_agent", AT)
    assert call(capsys, "graph", tmp_path, "--agent", "bb")[0] == 2


MERMAID = """flowchart TD
  n0["top<br/>LlmAgent"]
  n1["a<br/>LlmAgent"]
  n2["b<br/>LlmAgent"]
  n0 <--> n1
  n0 <--> n2
  n1 <-.-> n2
"""
AT = {"line": 3, "column": 11}


def test_a_graph_with_errors_is_drawn_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "root_agent.yaml").write_text("name: top\nsub_agents:\n  - config_path: gone.yaml\n", encoding="utf-8")
    status, out, err = call(capsys, "graph", tmp_path, "--format", "dot")
    assert status == 1
    assert "no such file" in out and "missing-file" in err
