"""What LSP 3.17 asks of any server, over stdio: lifecycle, errors, frames, cancellation. Nothing here is about agents.

The same tests, run against a plain pygls server (`ROLEBOOK_LSP=pygls`), show which of its traps are still there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strict import SERVER, StrictClient, strict_client

PYGLS = [sys.executable, str(Path(__file__).with_name("plain_pygls.py"))]
COMMAND = PYGLS if os.environ.get("ROLEBOOK_LSP") == "pygls" else SERVER
URI = "file:///nowhere/root_agent.yaml"
POSITION = {"line": 0, "character": 0}

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED = -32002, -32800


@pytest.fixture
def fresh() -> Iterator[StrictClient]:
    with strict_client(COMMAND) as client:
        yield client


@pytest.fixture
def client(fresh: StrictClient) -> StrictClient:
    fresh.initialize()
    return fresh


def document(text: str = "name: a\n", uri: str = URI) -> dict[str, Any]:
    return {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}}


def hover(line: int = 0, character: int = 0, uri: str = URI) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


class TestLifecycle:
    def test_requests_before_initialize_are_refused(self, fresh: StrictClient) -> None:
        assert fresh.error("textDocument/hover", hover()) == NOT_INITIALIZED
        assert fresh.error("shutdown") == NOT_INITIALIZED
        fresh.notify("textDocument/didOpen", document())
        fresh.initialize()
        assert fresh.exit() == 0

    def test_a_second_initialize_is_refused(self, client: StrictClient) -> None:
        assert client.error("initialize", {"capabilities": {}, "processId": None}) == INVALID_REQUEST
        assert client.exit() == 0

    def test_requests_after_shutdown_are_refused(self, client: StrictClient) -> None:
        assert client.request("shutdown") is None
        assert client.error("textDocument/hover", hover()) == INVALID_REQUEST
        assert client.error("shutdown") == INVALID_REQUEST
        client.notify("exit")
        assert client.process.wait(30) == 0

    def test_exit_without_shutdown_has_status_one(self, client: StrictClient) -> None:
        client.notify("exit")
        assert client.process.wait(30) == 1

    def test_the_end_of_input_ends_the_server(self, client: StrictClient) -> None:
        assert client.process.stdin is not None
        client.process.stdin.close()
        client.process.wait(30)

    def test_the_death_of_the_clients_process_ends_the_server(self) -> None:
        if COMMAND is PYGLS:
            pytest.skip("pygls doesn't watch it")
        parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        with strict_client(COMMAND) as client:
            client.initialize(processId=parent.pid)
            assert parent.stdin is not None
            parent.stdin.close()
            parent.wait()
            client.process.wait(30)


class TestErrors:
    def test_unknown_methods(self, client: StrictClient) -> None:
        assert client.error("textDocument/fly", {}) == METHOD_NOT_FOUND
        assert client.error("$/optional", {}) == METHOD_NOT_FOUND
        client.notify("textDocument/flown", {})
        client.notify("$/whatever")
        assert client.exit() == 0

    def test_bad_params(self, client: StrictClient) -> None:
        for method in ("textDocument/hover", "textDocument/completion", "textDocument/documentSymbol"):
            for params in (None, [], "x", 7, {}, {"textDocument": None}, {"textDocument": {"uri": 5}}):
                assert client.error(method, params) == INVALID_PARAMS
        assert client.exit() == 0

    def test_bad_positions(self, client: StrictClient) -> None:
        for position in (None, 3, {}, {"line": "0", "character": 0}, {"line": 0}, {"line": -1, "character": 0}):
            assert client.error("textDocument/hover", {**hover(), "position": position}) == INVALID_PARAMS
        assert client.exit() == 0

    def test_bad_notifications_change_nothing(self, client: StrictClient) -> None:
        for method in ("textDocument/didOpen", "textDocument/didChange", "workspace/didChangeWatchedFiles"):
            for params in (None, [], {}, {"textDocument": {"uri": URI}}, {"contentChanges": 3}):
                client.notify(method, params)
        client.request("textDocument/hover", hover())
        assert client.exit() == 0

    def test_messages_that_are_none(self, client: StrictClient) -> None:
        for message in ([], 17, "hello", None, {}, {"jsonrpc": "2.0"}):
            client.send(message)
            assert client.unasked_error() == INVALID_REQUEST
        assert client.exit() == 0

    def test_ids_of_a_wrong_type(self, client: StrictClient) -> None:
        for id in (True, 1.5, [1], {"a": 1}):
            client.send({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": hover()})
            assert client.unasked_error() == INVALID_REQUEST
        assert client.exit() == 0

    def test_replies_to_nothing_are_passed_over(self, client: StrictClient) -> None:
        client.send({"jsonrpc": "2.0", "id": 99, "result": None})
        client.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}})
        assert client.exit() == 0

    def test_ids_may_be_strings_and_come_again(self, client: StrictClient) -> None:
        for _ in range(2):
            assert "result" in client.reply(client.ask("textDocument/hover", hover(), id="same"))
        assert client.exit() == 0


class TestFrames:
    def test_malformed_json(self, client: StrictClient) -> None:
        for body in (b"{", b"", b"\xff\xfe", b'{"jsonrpc":' + b"[" * 100_000):
            client.raw(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            assert client.unasked_error() == PARSE_ERROR
        assert client.exit() == 0

    def test_bytes_one_by_one_and_messages_in_one_write(self, client: StrictClient) -> None:
        bodies = [json.dumps({"jsonrpc": "2.0", "id": f"m{n}", "method": "x/y"}).encode() for n in range(5)]
        data = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
        for _ in range(2):
            client._owed.update({f"m{n}": "x/y" for n in range(5)})
            for piece in [data] if _ else [data[i : i + 1] for i in range(len(data))]:
                client.raw(piece)
            for n in range(5):
                assert client.reply(f"m{n}")["error"]["code"] == METHOD_NOT_FOUND
        assert client.exit() == 0

    def test_headers_as_clients_write_them(self, client: StrictClient) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": "h", "method": "x/y", "params": {"nested": {"jsonrpc": 1}}}).encode()
        for header in (
            b"content-length: %d\r\n\r\n",
            b"CONTENT-LENGTH:%d\r\n\r\n",
            b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
            b"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: %d\r\n\r\n",
            b"X-Other: 1\r\nContent-Length:  %d \r\n\r\n",
        ):
            client._owed["h"] = "x/y"
            client.raw(header % len(body) + body)
            assert client.reply("h")["error"]["code"] == METHOD_NOT_FOUND
        assert client.exit() == 0

    def test_garbage_between_messages_is_told_and_passed_over(self, client: StrictClient) -> None:
        for garbage in (b"hello\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: -5\r\n\r\n"):
            client.raw(garbage)
            assert client.unasked_error() == PARSE_ERROR
            client.request("textDocument/hover", hover())
            client.unasked.clear()
        assert client.exit() == 0

    def test_a_line_of_ten_megabytes(self, client: StrictClient) -> None:
        notes = "file:///nowhere/notes.txt"
        client.notify("textDocument/didOpen", document("x" * 10_000_000, notes))
        client.request("textDocument/hover", hover(uri=notes))
        client.notify("textDocument/didOpen", document("name: a\ndescription: " + "x" * 1_000_000))
        client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert client.exit() == 0


class TestCapabilities:
    def test_unknown_values_lock_nobody_out(self, fresh: StrictClient) -> None:
        capabilities = {
            "general": {"positionEncodings": ["utf-128", 7], "markdown": {"parser": 5}},
            "textDocument": {
                "completion": {
                    "completionItem": {"insertTextModeSupport": {"valueSet": [99]}, "snippetSupport": "yes"}
                },
                "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quantum"]}}},
                "documentSymbol": {"symbolKind": {"valueSet": [999]}, "tagSupport": {"valueSet": [9]}},
                "semanticTokens": {"requests": {"full": 3}, "formats": ["absolute"]},
                "foldingRange": 17,
            },
            "workspace": {"workspaceEdit": {"failureHandling": "prayer", "resourceOperations": ["teleport"]}},
            "window": None,
            "experimental": ["x"],
        }
        params = {"capabilities": capabilities, "trace": "loud", "workspaceFolders": 5, "rootUri": 3, "processId": "x"}
        assert fresh.initialize(**params)["capabilities"]["positionEncoding"] == "utf-16"
        assert fresh.exit() == 0

    @pytest.mark.parametrize(
        ("offered", "chosen"),
        [
            (["utf-16"], "utf-16"),
            (["utf-8", "utf-16"], "utf-8"),
            (["utf-32", "utf-16", "utf-8"], "utf-32"),
            ([], "utf-16"),
        ],
    )
    def test_position_encodings(self, fresh: StrictClient, offered: list[str], chosen: str) -> None:
        result = fresh.initialize(capabilities={"general": {"positionEncodings": offered}})
        assert result["capabilities"]["positionEncoding"] == chosen
        assert fresh.exit() == 0


class TestCancellation:
    def test_what_is_done_or_never_was_can_be_cancelled(self, client: StrictClient) -> None:
        client.request("textDocument/hover", hover())
        for params in ({"id": 1}, {"id": 12345}, {"id": "never"}, {"id": None}, {}, None, [], 3):
            client.notify("$/cancelRequest", params)
        client.request("textDocument/hover", hover())
        assert client.exit() == 0

    def test_a_request_that_waits_is_answered_with_an_error(self, client: StrictClient) -> None:
        body = json.dumps(
            {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": document("name: a\n" * 20_000)}
        )
        asked = json.dumps({"jsonrpc": "2.0", "id": "c", "method": "textDocument/hover", "params": hover()})
        cancel = json.dumps({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "c"}})
        client._owed["c"] = "textDocument/hover"
        client.raw(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(m), m.encode()) for m in (body, asked, cancel)))
        reply = client.reply("c")
        assert "result" in reply or reply["error"]["code"] == CANCELLED
        assert client.exit() == 0


class TestUris:
    def test_any_uri_can_be_opened_edited_asked_about_and_closed(self, client: StrictClient) -> None:
        for uri in (
            "untitled:Untitled-1",
            "file:///C%3A/agents/root_agent.yaml",
            "file://server/share/root_agent.yaml",
            "file:///tmp/%E2%9C%93%20a/root_agent.yaml",
            "file:///tmp/✓ a/root_agent.yaml",
            "file:///tmp/%FF%00/root_agent.yaml",
            "git:/repo/root_agent.yaml?%7B%22ref%22%3A%22HEAD%22%7D",
            "vscode-notebook-cell:/a#b",
            "",
            "no uri at all",
        ):
            client.notify("textDocument/didOpen", document("agent_class: LlmAgent\nnam: a\n", uri))
            change = {"range": {"start": POSITION, "end": POSITION}, "text": "# x\n"}
            versioned = {"uri": uri, "version": 2}
            client.notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": [change]})
            client.request("textDocument/hover", hover(1, 2, uri))
            client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert client.exit() == 0
