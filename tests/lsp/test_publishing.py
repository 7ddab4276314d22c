"""What the server sends, without a client: the same problems are told once for each version of a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rolebook.text import Encoding, Text
from rolebook_server.lsp.server import Server


class Recorded(Server):
    """A server that notes what it would send, and runs its second phase when asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[int | None, list[Any]]] = []

    @property
    def encoding(self) -> Encoding:
        return "utf-16"

    def text_document_publish_diagnostics(self, params: Any) -> None:
        self.sent.append((params.version, [item.code for item in params.diagnostics]))

    def publish_all_soon(self) -> None:
        return None


def test_problems_are_told_once_for_each_version(tmp_path: Path) -> None:
    server, path = Recorded(), str(tmp_path / "root_agent.yaml")
    server.update(path, Text("nam: a\n"), 1)
    server.publish(path, "full")
    assert server.sent == [(1, ["missing-key", "unknown-key"])]
    server.update(path, Text("nam: b\n"), 2)
    server.update(path, Text("name: b\n"), 3)
    server.publish(path, "full")
    assert server.sent[1:] == [(2, ["missing-key", "unknown-key"]), (3, [])]


def test_the_second_phase_tells_what_only_pyyaml_refuses(tmp_path: Path) -> None:
    server, path = Recorded(), str(tmp_path / "root_agent.yaml")
    server.update(path, Text("name: a\nstate:\n  [x, y]: 1\n"), 1)
    server.publish(path, "full")
    assert server.sent[0][1] != server.sent[1][1]
    assert "rejected-by-pyyaml" in server.sent[1][1]


def test_an_edit_to_one_document_is_told_of_another(tmp_path: Path) -> None:
    server = Recorded()
    root, kid = str(tmp_path / "root_agent.yaml"), str(tmp_path / "kid.agent.yaml")
    server.update(root, Text("name: a\nstate: {x: 1}\nsub_agents: [{config_path: kid.agent.yaml}]\n"), 1)
    server.update(kid, Text("name: kid\ndescription: Greets.\ninstruction: Hi {x}\n"), 1)
    server.update(root, Text("name: a\nsub_agents: [{config_path: kid.agent.yaml}]\n"), 2)
    server.publish(kid, "full")
    assert server.sent[-1] == (1, ["unresolved-placeholder"])
