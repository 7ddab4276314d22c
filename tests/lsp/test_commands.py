"""Commands and our own requests, in a client with our extension and in one without."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strict import StrictClient, strict_client

from rolebook_server.lsp.uris import to_path

TEXT = """\
name: desk
description: The front desk.
instruction: Help {user} of {city}.
state: {user: Ann}
rehearsal:
- on: slow
  call: {wait: {}}
- say: Welcome, {user}.
tools:
- name: tools.wait
sub_agents:
- name: booking
  description: Books flights.
"""
TOOLS = "import time\n\ndef wait() -> str:\n    time.sleep(60)\n    return 'done'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def uri(folder: Path) -> str:
    return (folder / "root_agent.yaml").as_uri()


@pytest.fixture
def extension(folder: Path) -> Iterator[StrictClient]:
    with strict_client() as client:
        client.initialize(rootUri=folder.as_uri(), capabilities={"experimental": {"rolebook": True}})
        yield client


@pytest.fixture
def generic(folder: Path) -> Iterator[StrictClient]:
    with strict_client() as client:
        shows = {"window": {"showDocument": {"support": True}}}
        client.initialize(rootUri=folder.as_uri(), capabilities=shows)
        yield client


def execute(client: StrictClient, command: str, *arguments: Any) -> Any:
    return client.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})


def shown(client: StrictClient) -> str:
    """The text of the document that the client was asked to show."""
    while not client.requests:
        client._take(client._next())
    request = client.requests.pop(0)
    assert request["method"] == "window/showDocument"
    return Path(to_path(request["params"]["uri"])).read_text(encoding="utf-8")


def text_of(pieces: list[dict[str, Any]]) -> str:
    return "".join(piece["text"] for piece in pieces)


def test_a_preview_knows_where_each_piece_comes_from(extension: StrictClient, uri: str) -> None:
    found = extension.request("rolebook/preview", {"textDocument": {"uri": uri}, "state": {"city": "Rome"}})
    assert text_of(found["dynamic"]) == "Help Ann of Rome."
    kinds = [(piece["kind"], piece["text"]) for piece in found["dynamic"]]
    assert ("state", "Rome") in kinds and ("state", "Ann") in kinds
    (help_of,) = [piece for piece in found["dynamic"] if piece["text"] == "Help "]
    assert help_of["location"]["range"]["start"] == {"line": 2, "character": 13}
    assert text_of(found["static"]).startswith("You are desk. The front desk.")
    assert found["targets"] == ["booking"] and found["tokens"]["total"] > 0
    assert [tool["name"] for tool in found["tools"]] == ["wait", "transfer_to_agent"]
    assert extension.exit() == 0


def test_a_preview_of_the_cursors_agent_after_events(extension: StrictClient, uri: str) -> None:
    position = {"line": 11, "character": 4}
    events = [{"id": 1, "author": "user", "text": "Hello"}]
    found = extension.request(
        "rolebook/preview", {"textDocument": {"uri": uri}, "position": position, "events": events}
    )
    assert found["agent"] == "booking" and found["messages"][0]["parts"] == [{"text": "Hello"}]
    for wrong in ({"provider": "x"}, {"events": [{}]}, {"state": 3}):
        assert extension.error("rolebook/preview", {"textDocument": {"uri": uri}, **wrong}) == -32602
    assert extension.exit() == 0


def test_the_request_shown_is_the_one_that_compile_prints(generic: StrictClient, folder: Path, uri: str) -> None:
    result = execute(generic, "rolebook.showRequest", uri, "desk", {"provider": "anthropic"})
    command = [sys.executable, "-m", "rolebook_cli", "compile", str(folder), "--agent", "desk", "--for", "anthropic"]
    printed = subprocess.run(command, capture_output=True, check=False, cwd=folder)
    assert result["body"] == json.loads(printed.stdout)
    assert json.loads(shown(generic)) == result["body"]
    assert generic.exit() == 0


def test_a_client_without_our_extension_is_shown_documents(generic: StrictClient, uri: str) -> None:
    execute(generic, "rolebook.preview", uri, "desk")
    assert "Help Ann of {city}." in shown(generic)
    assert "flowchart" in execute(generic, "rolebook.graph", uri)["mermaid"]
    assert "booking" in shown(generic)
    assert execute(generic, "rolebook.showServerState")["faults"] == 0
    assert '"faults": 0' in shown(generic)
    assert generic.exit() == 0


def events_of(client: StrictClient, run: str, until: str) -> list[dict[str, Any]]:
    """The events of a run up to one of that type."""
    found: list[dict[str, Any]] = []
    while not found or found[-1]["type"] != until:
        found.append(client.notification("rolebook/runEvent", run=run)["event"])
    return found


def test_a_run_streams_takes_another_turn_and_ends(extension: StrictClient, uri: str) -> None:
    run = execute(extension, "rolebook.run", uri, {"message": "Hi", "state": {"user": "Bob"}})["run"]
    events = events_of(extension, run, "answer")
    assert events[0]["type"] == "hello"
    texts = [event["signal"]["text"] for event in events if event.get("signal", {}).get("type") == "text_delta"]
    assert "".join(texts) == "Welcome, Bob."
    execute(extension, "rolebook.run", uri, {"run": run, "message": "And again"})
    assert events_of(extension, run, "answer")[-1]["result"]["text"] == "Welcome, Bob."
    execute(extension, "rolebook.stop", run, {"end": True})
    assert events_of(extension, run, "ended")[-1]["status"] == 0
    assert extension.exit() == 0


def test_a_run_that_hangs_is_stopped_while_the_server_answers(extension: StrictClient, uri: str) -> None:
    run = execute(extension, "rolebook.run", uri, {"message": "slow, please"})["run"]
    while True:
        event = extension.notification("rolebook/runEvent", run=run)["event"]
        if event.get("signal", {}).get("type") == "tool_started":
            break
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 7}}
    assert extension.request("textDocument/hover", place) is not None
    assert execute(extension, "rolebook.stop", run) == {"stopped": [run]}
    results = [event.get("result", {}) for event in events_of(extension, run, "answer")]
    assert {"status": "stopped"} in results or results[-1].get("stopped") is True
    assert extension.exit() == 0


def test_the_transcript_is_shown_where_nothing_else_can_be(generic: StrictClient, uri: str) -> None:
    execute(generic, "rolebook.run", uri, {"message": "Hi"})
    assert "desk: Welcome, Ann." in shown(generic)
    assert generic.exit() == 0


def test_a_tree_with_errors_says_so(extension: StrictClient, folder: Path, uri: str) -> None:
    (folder / "root_agent.yaml").write_text("nam: x\n", encoding="utf-8")
    run = execute(extension, "rolebook.run", uri, {"message": "Hi"})["run"]
    events = events_of(extension, run, "ended")
    assert any(event.get("state") == "failed" and event["problems"] for event in events)
    assert extension.exit() == 0


def test_what_isnt_trusted_isnt_run(folder: Path, uri: str) -> None:
    with strict_client() as client:
        client.initialize(rootUri=folder.as_uri(), initializationOptions={"trusted": False})
        params = {"command": "rolebook.run", "arguments": [uri]}
        assert client.error("workspace/executeCommand", params) == -32803
        assert client.request("rolebook/preview", {"textDocument": {"uri": uri}})["agent"] == "desk"
        assert client.exit() == 0


def test_bad_arguments_are_refused_in_a_sentence(extension: StrictClient) -> None:
    for command in ("rolebook.preview", "rolebook.run", "rolebook.graph", "rolebook.showRequest", "no.such"):
        for arguments in (None, [], [5], ["untitled:x"], ["file:///nowhere/x.yaml"], ["x", 3, {"state": 1}]):
            code = extension.error("workspace/executeCommand", {"command": command, "arguments": arguments})
            assert code in (-32602, -32803)
    assert extension.exit() == 0
