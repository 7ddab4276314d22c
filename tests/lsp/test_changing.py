"""Renames and code actions over the protocol: edits that the client can apply as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from strict import StrictClient, strict_client

from rolebook.text import Edit, Position, Span, Text, apply
from rolebook_server.lsp.uris import to_path

ROOT = (
    "name: desk\r\ninstruction: Hand over to `kid` 🙂. Help {usr_name}.\r\nstate: {user_name: Ann}\r\n"
    "sub_agents:\r\n- config_path: kid.yaml\r\n"
)
KID = "name: kid\ndescription: Kid of {user_name}.\ninstruction: Hi {user_name}.\n"
RICH: dict[str, Any] = {
    "workspace": {
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "changeAnnotationSupport": {},
        }
    },
    "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "root_agent.yaml").write_text(ROOT, encoding="utf-8", newline="")
    (tmp_path / "kid.yaml").write_text(KID, encoding="utf-8")
    return tmp_path


def opened(client: StrictClient, folder: Path, capabilities: dict[str, Any]) -> str:
    client.initialize(rootUri=folder.as_uri(), capabilities=capabilities)
    uri = (folder / "root_agent.yaml").as_uri()
    client.notify(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": ROOT}}
    )
    return uri


def after(edit: dict[str, Any]) -> dict[str, str]:
    """The texts of the files that a workspace edit changes, by name, as a client with UTF-16 would have them."""
    found: dict[str, str] = {}
    edits = edit.get("changes") or {
        each["textDocument"]["uri"]: each["edits"] for each in edit["documentChanges"] if "edits" in each
    }
    for uri, items in edits.items():
        path = Path(to_path(uri))
        text = Text(path.read_bytes().decode())
        places = [
            Edit(
                Span(*(text.offset(Position(*item["range"][end].values()), "utf-16") for end in ("start", "end"))),
                item["newText"],
            )
            for item in items
        ]
        found[path.name] = apply(text.source, places)
    return found


@pytest.mark.parametrize("capabilities", [{}, RICH], ids=["poor", "rich"])
def test_an_agent_is_renamed_in_all_files(folder: Path, capabilities: dict[str, Any]) -> None:
    with strict_client() as client:
        uri = opened(client, folder, capabilities)
        place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 29}}
        assert client.request("textDocument/prepareRename", place)["placeholder"] == "kid"
        edit = client.request("textDocument/rename", {**place, "newName": "child"})
        assert after(edit) == {
            "root_agent.yaml": ROOT.replace("`kid`", "`child`"),
            "kid.yaml": KID.replace("name: kid", "name: child"),
        }
        for name in ("user", "two words", "desk", ""):
            assert client.error("textDocument/rename", {**place, "newName": name}) == -32803
        assert client.exit() == 0


def test_paths_follow_a_file_that_is_moved(folder: Path) -> None:
    with strict_client() as client:
        opened(client, folder, RICH)
        files = [{"oldUri": (folder / "kid.yaml").as_uri(), "newUri": (folder / "sub" / "kid.yaml").as_uri()}]
        edit = client.request("workspace/willRenameFiles", {"files": files})
        assert after(edit) == {"root_agent.yaml": ROOT.replace("kid.yaml", "sub/kid.yaml")}
        assert client.request("workspace/willRenameFiles", {"files": []}) is None
        assert client.exit() == 0


def actions(client: StrictClient, uri: str, **context: Any) -> list[dict[str, Any]]:
    start = {"line": 1, "character": 48}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": start, "end": start},
        "context": {"diagnostics": [], **context},
    }
    return list(client.request("textDocument/codeAction", params))


@pytest.mark.parametrize("capabilities", [{}, RICH], ids=["poor", "rich"])
def test_a_fix_is_offered_and_made(folder: Path, capabilities: dict[str, Any]) -> None:
    with strict_client() as client:
        uri = opened(client, folder, capabilities)
        (fix,) = [each for each in actions(client, uri) if each["title"] == "Change to `user_name`"]
        assert fix["kind"] == "quickfix" and fix["diagnostics"][0]["code"] == "unresolved-placeholder"
        edit = client.request("codeAction/resolve", fix)["edit"] if "data" in fix else fix["edit"]
        assert after(edit) == {"root_agent.yaml": ROOT.replace("usr_name", "user_name")}
        (everything,) = actions(client, uri, only=["source.fixAll"])
        edit = client.request("codeAction/resolve", everything)["edit"] if "data" in everything else everything["edit"]
        assert after(edit) == {"root_agent.yaml": ROOT.replace("usr_name", "user_name")}
        assert client.exit() == 0


def test_an_action_for_an_older_text_is_refused(folder: Path) -> None:
    with strict_client() as client:
        uri = opened(client, folder, RICH)
        fix = next(each for each in actions(client, uri) if "data" in each)
        changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "name: other\n"}]}
        client.notify("textDocument/didChange", changed)
        assert client.error("codeAction/resolve", fix) == -32801
        assert client.exit() == 0
