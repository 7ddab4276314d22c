"""A long session: after thousands of random edits the server holds no more than before, and an edit costs no more work.

Memory is counted in the interpreter's blocks and work in calls of functions, so that no clock decides.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from rolebook_server.lsp import publish
from rolebook_server.lsp.loop import Loop
from rolebook_server.lsp.session import Session

EDITS = 100_000 if os.environ.get("ROLEBOOK_FUZZ") == "all" else 5_000
SEED = int(os.environ.get("ROLEBOOK_SEED", "1"))
ROUNDS = 5
"""The edits are cut into so many rounds; the first one warms up, and the last is held against the second."""

TEXT = """\
name: desk
description: Answers questions 🙂.
instruction: |
  Help {user} with {topic}.
  Hand over to `billing` for money.
state: {user: Ann}
sub_agents:
- config_path: billing.agent.yaml
"""
PIECES = ["a", "{user}", "{x", "}", "\n", "\n  ", ": ", "- ", "🙂", "'", "[", "#", "\r\n", "\u2028", "instruction: "]


class Editor:
    """A session in this process, and a document in it. `sent` counts the messages of the server."""

    def __init__(self, folder: Path) -> None:
        self.loop = Loop()
        self.session = Session(self.loop, self._take)
        self.uri = (folder / "root_agent.yaml").as_uri()
        self.version = self.sent = 0
        folder_item = {"uri": folder.as_uri(), "name": "w"}
        self.tell("initialize", {"capabilities": {}, "workspaceFolders": [folder_item]}, id=1)
        self.tell("initialized", {})
        document = {"uri": self.uri, "languageId": "yaml", "version": 0, "text": TEXT}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def _take(self, _: bytes) -> None:
        self.sent += 1

    def tell(self, method: str, params: Any, **more: Any) -> None:
        self.session.received(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode())
        self.loop.run_pending()

    def change(self, *changes: dict[str, Any]) -> None:
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def reset(self) -> None:
        self.change({"text": TEXT})


def random_edit(rng: random.Random) -> dict[str, Any]:
    line, character = rng.randint(0, 9), rng.randint(0, 30)
    end = {"line": line + rng.choice([0, 0, 0, 1]), "character": character + rng.randint(0, 12)}
    return {"range": {"start": {"line": line, "character": character}, "end": end}, "text": rng.choice(PIECES)}


def calls_of_an_edit(editor: Editor) -> int:
    """How many functions a certain edit of a certain text calls."""
    editor.reset()
    count = 0

    def note(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    place = {"line": 3, "character": 8}
    sys.setprofile(note)
    try:
        editor.change({"range": {"start": place, "end": place}, "text": "x"})
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.timeout(3600)
def test_a_long_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "QUIET", 0.0)  # everything is worked out after each edit
    monkeypatch.setattr(publish, "_CHEAP", float("inf"))  # and in one way, however long it took
    (tmp_path / "billing.agent.yaml").write_text("name: billing\ndescription: Money.\n")
    editor, rng = Editor(tmp_path), random.Random(SEED)
    calls, blocks = [], []
    for _ in range(ROUNDS):
        for number in range(EDITS // ROUNDS):
            if number % 100 == 0:
                editor.reset()
            editor.change(random_edit(rng))
        editor.reset()
        calls.append(calls_of_an_edit(editor))
        editor.reset()
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    assert editor.session.server.faults == 0
    assert editor.sent > EDITS // 2
    assert calls[-1] <= calls[1] * 1.02, f"calls: {calls}, seed {SEED}"
    assert blocks[-1] <= blocks[1] + 2_000, f"blocks: {blocks}, seed {SEED}"
