"""Random sessions of an editor, in one process: each request has one reply, nothing fails inside, and in the end the
client knows of exactly the problems that a fresh server finds."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rolebook_server.lsp import publish
from rolebook_server.lsp.frames import Frames
from rolebook_server.lsp.loop import Loop
from rolebook_server.lsp.methods import diagnostics
from rolebook_server.lsp.session import Session
from rolebook_server.lsp.table import METHODS, Lane

SESSIONS = 2_000 if os.environ.get("ROLEBOOK_FUZZ") == "all" else 60
SEED = int(os.environ.get("ROLEBOOK_SEED", "1"))
NAMES = ["root_agent.yaml", "a.yaml", "sub/b.agent.yaml", "tools.py", "rolebook.toml", "note.md", "c.agent.md"]
PIECES = [
    "name: root\n", "nam: x\n", "instruction: Hi {user} {fact}\n", "state: {user: Ann}\n", "output_key: fact\n",
    "sub_agents:\n- config_path: a.yaml\n", "- config_path: sub/b.agent.yaml\n", "tools: [{name: tools.go}]\n",
    "agent_class: LoopAgent\n", "def go(context):\n    context.state['user'] = 1\n", "[rules]\nunknown-key = 'off'\n",
    "---\n", "🙂", "\t", "{", "[", "'", "\r\n", "# rolebook: ignore[unknown-key]\n",
]  # fmt: skip


class Client:
    """A client without a process around it: what it sends is taken at once, what it gets is kept."""

    def __init__(self, folder: Path, pulls: bool, encoding: str) -> None:
        self.loop = Loop()
        self.session = Session(self.loop, self.take)
        self.frames = Frames()
        self.published: dict[str, list[Any]] = {}
        self.replies: Counter[Any] = Counter()
        self.results: dict[Any, Any] = {}
        self.asked: set[Any] = set()
        capabilities: dict[str, Any] = {
            "general": {"positionEncodings": [encoding]},
            "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
            "textDocument": {"publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1]}}},
        }
        if pulls:
            capabilities["textDocument"]["diagnostic"] = {}
            capabilities["workspace"]["diagnostics"] = {"refreshSupport": True}
        self.ask("initialize", {"capabilities": capabilities, "rootUri": folder.as_uri(), "processId": None})
        self.notify("initialized", {})

    def take(self, data: bytes) -> None:
        for body in self.frames.feed(data):
            assert isinstance(body, bytes)
            message = json.loads(body)
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            elif message.get("method") == "textDocument/publishDiagnostics":
                self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
            elif "id" in message:
                self.replies[message["id"]] += 1
                self.results[message["id"]] = message

    def send(self, message: dict[str, Any]) -> None:
        self.session.received(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        id = len(self.asked)
        self.asked.add(id)
        self.send({"id": id, "method": method, "params": params})
        return id

    def settle(self) -> None:
        """Lets the server do all that it has put off."""
        for _ in range(4):
            self.loop.run_pending()

    def known(self, pulls: bool) -> dict[str, list[Any]]:
        """The problems of each file of the workspace, as the client knows them at the end."""
        self.settle()
        if not pulls:
            return {uri: found for uri, found in self.published.items() if found}
        id = self.ask("workspace/diagnostic", {"previousResultIds": []})
        self.settle()
        if id not in self.results:  # without a definition there is nothing to tell, so the server keeps us waiting
            return {}
        items = self.results[id]["result"]["items"]
        return {item["uri"]: item["items"] for item in items if item["items"]}


def some_text(rng: random.Random) -> str:
    return "".join(rng.choices(PIECES, k=rng.randint(0, 6)))


def position(rng: random.Random) -> dict[str, int]:
    return {"line": rng.choice([0, 0, 1, 2, 3, 9, 10**6]), "character": rng.choice([0, 1, 4, 12, 10**6])}


def play(rng: random.Random, client: Client, folder: Path, opened: dict[str, str]) -> None:
    """One random step; `opened` are the texts of the open documents by URI, as the client sees them."""
    name = rng.choice(NAMES)
    path = folder / name
    uri = path.as_uri() if rng.random() < 0.95 else "untitled:Untitled-1"
    match rng.randrange(12):
        case 0 | 1 if uri not in opened:
            text = some_text(rng)
            document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": document})
            opened[uri] = text
        case 2 | 3 | 4 if uri in opened:
            text = some_text(rng)
            changes: list[dict[str, Any]] = [{"text": text}]
            for _ in range(rng.randint(0, 3)):
                change = {"range": {"start": position(rng), "end": position(rng)}, "text": rng.choice(PIECES)}
                changes.append(change)
            changes.append({"text": text})  # so that the client knows what the document holds
            client.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": uri, "version": rng.randint(2, 99)}, "contentChanges": changes},
            )
            opened[uri] = text
        case 5 if uri in opened:
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            del opened[uri]
        case 6 if uri in opened and uri.startswith("file:"):
            path.write_text(opened[uri], encoding="utf-8", newline="")
            client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        case 7:
            existed = path.exists()
            if existed and rng.random() < 0.4:
                path.unlink()
            else:
                path.write_text(some_text(rng), encoding="utf-8", newline="")
            kind = 2 if existed and path.exists() else 1 if path.exists() else 3
            client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})
        case 8:
            client.notify("$/cancelRequest", {"id": rng.randrange(len(client.asked) + 3)})
        case 9:
            client.notify("workspace/didChangeConfiguration", {"settings": None})
        case _:
            rows = [row.name for row in METHODS.values() if row.lane is not Lane.NOTIFICATION]
            method = rng.choice(rows)
            params = {"textDocument": {"uri": uri}, "position": position(rng), "previousResultIds": []}
            params |= {"range": {"start": position(rng), "end": position(rng)}, "context": {"diagnostics": []}}
            params |= {"query": "a", "newName": "other", "positions": [position(rng)]}
            client.ask(method, params)
    if rng.random() < 0.3:
        client.loop.run_pending()


@pytest.mark.parametrize("pulls", [False, True], ids=["push", "pull"])
def test_random_sessions(pulls: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "QUIET", 0.0)
    monkeypatch.setattr(diagnostics, "_WAIT", 3600.0)
    for number in range(SESSIONS):
        rng = random.Random(f"{SEED} {number} {pulls}")
        folder = tmp_path / str(number)
        (folder / "sub").mkdir(parents=True)
        (folder / "rolebook.toml").write_text("", encoding="utf-8")
        encoding = rng.choice(["utf-8", "utf-16", "utf-32"])
        client = Client(folder, pulls, encoding)
        opened: dict[str, str] = {}
        for _ in range(rng.randint(1, 60)):
            play(rng, client, folder, opened)
        known = client.known(pulls)

        fresh = Client(folder, pulls, encoding)
        for uri, text in opened.items():
            document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
            fresh.notify("textDocument/didOpen", {"textDocument": document})
        assert known == fresh.known(pulls), f"seed {SEED}, session {number}"
        assert client.session.server.faults == fresh.session.server.faults == 0, f"seed {SEED}, session {number}"
        waiting = {id for id in client.asked if not client.replies[id]}
        assert not {id for id in waiting if client.session._waiting.get(id) is None}
        assert max(client.replies.values()) == 1
