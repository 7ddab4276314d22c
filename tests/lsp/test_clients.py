"""Each client of tests/lsp/clients gets a working session: its own `initialize`, its kind of change, and diagnostics in
the way that it has. lsprotocol judges the shape of everything that the server sends.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import converters
from lsprotocol import types as lsp
from strict import StrictClient, strict_client

RECORDINGS = sorted(Path(__file__).with_name("clients").glob("*.json"))
TEXT = "name: greeter\ninstruction: 🙂 Greet {usr}.\nstate: {user: Ann}\n"
"""What the recorded change was made in."""

CONVERTER = converters.get_converter()


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_session(recording: Path, tmp_path: Path) -> None:
    client = json.loads(recording.read_text(encoding="utf-8"))
    file = tmp_path / "root_agent.yaml"
    file.write_text(TEXT, encoding="utf-8")
    with strict_client() as server:
        answer = judged(server, "initialize", at_home(client["initialize"], tmp_path))
        assert answer.capabilities.position_encoding == client["encoding"]
        server.notify("initialized", {})
        document = {"uri": file.as_uri(), "languageId": client["language"], "version": 0, "text": TEXT}
        server.notify("textDocument/didOpen", {"textDocument": document})
        problem = next(each for each in diagnostics(server, client, file, 0) if each.code == "unresolved-placeholder")
        assert covered(problem.range, client["encoding"]) == "usr"

        versioned = {"uri": file.as_uri(), "version": 1}
        server.notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": client["change"]})
        assert diagnostics(server, client, file, 1) == []

        place = {"textDocument": {"uri": file.as_uri()}, "position": {"line": 0, "character": 8}}
        hover = judged(server, "textDocument/hover", place)
        assert isinstance(hover.contents, lsp.MarkupContent) and "🙂 Greet Ann." in hover.contents.value
        place["position"] = {"line": 2, "character": 0}
        items = judged(server, "textDocument/completion", place)
        assert "state" in [item.label for item in getattr(items, "items", items)]
        assert server.exit() == 0
        for message in [*server.notifications, *server.requests]:
            CONVERTER.structure({"jsonrpc": "2.0", **message}, lsp.METHOD_TO_TYPES[message["method"]][0])


def at_home(initialize: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The recorded params with a folder that is there."""
    text = json.dumps(initialize).replace("file:///workspace", folder.as_uri()).replace("/workspace", folder.as_posix())
    return {**json.loads(text), "processId": None}


def judged(server: StrictClient, method: str, params: Any) -> Any:
    """The result of a request as lsprotocol reads it."""
    reply = server.reply(server.ask(method, params))
    return CONVERTER.structure(reply, lsp.METHOD_TO_TYPES[method][1]).result


def covered(range: lsp.Range, encoding: str) -> str:
    """What stands in a range of one line."""
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    line = TEXT.split("\n")[range.start.line].encode(codec)
    return line[range.start.character * width : range.end.character * width].decode(codec)


def diagnostics(server: StrictClient, client: dict[str, Any], file: Path, version: int) -> list[lsp.Diagnostic]:
    """The problems of the file as the client gets them: pulled where it can, else pushed."""
    if "diagnostic" in client["initialize"]["capabilities"]["textDocument"]:
        report = judged(server, "textDocument/diagnostic", {"textDocument": {"uri": file.as_uri()}})
        assert not any(each["method"] == "textDocument/publishDiagnostics" for each in server.notifications)
        return list(report.items)
    while True:
        found = server.notification("textDocument/publishDiagnostics", uri=file.as_uri())
        if found.get("version", version) == version:
            break
    return list(CONVERTER.structure(found, lsp.PublishDiagnosticsParams).diagnostics)
