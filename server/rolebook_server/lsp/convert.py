"""Our values to those of the protocol: plain dictionaries, in the position encoding of the client."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rolebook.problem import Problem
from rolebook.text import Edit, Encoding, Position, Span, Text
from rolebook_server.lsp.client import Client
from rolebook_server.lsp.workspace import Workspace

RULES_URL = "https://github.com/rolebook/rolebook/blob/main/docs/rules"

_UNNECESSARY = ("unused-state", "unused-output-key", "unused-ignore")


class Converter:
    """Converts what belongs to one text."""

    def __init__(self, text: Text, encoding: Encoding) -> None:
        self.text = text
        self.encoding = encoding

    def offset(self, position: Position) -> int:
        return self.text.offset(position, self.encoding)

    def position(self, offset: int) -> dict[str, int]:
        line, character = self.text.position(offset, self.encoding)
        return {"line": line, "character": character}

    def range(self, span: Span) -> dict[str, Any]:
        return {"start": self.position(span.start), "end": self.position(span.end)}

    def edits(self, edits: Iterable[Edit]) -> list[dict[str, Any]]:
        return [{"range": self.range(span), "newText": text} for span, text in edits]


def markdown(text: str) -> dict[str, str]:
    return {"kind": "markdown", "value": text}


def diagnostics(workspace: Workspace, client: Client, path: str, problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """The problems of the file at `path`, as far as the client can show them."""
    own = Converter(workspace.text(path), client.encoding)
    return [_diagnostic(workspace, client, own, problem) for problem in problems]


def _diagnostic(workspace: Workspace, client: Client, own: Converter, problem: Problem) -> dict[str, Any]:
    found: dict[str, Any] = {
        "range": own.range(problem.span),
        "severity": int(problem.severity),
        "code": problem.rule,
        "source": "rolebook",
        "message": problem.message,
    }
    if client.code_descriptions:
        found["codeDescription"] = {"href": f"{RULES_URL}/{problem.rule}.md"}
    if client.tags and problem.rule in _UNNECESSARY:
        found["tags"] = [1]
    if client.related_information and problem.related:
        found["relatedInformation"] = [
            {
                "location": {
                    "uri": workspace.documents.uri(other.path),
                    "range": Converter(workspace.text(other.path), client.encoding).range(other.span),
                },
                "message": other.message,
            }
            for other in problem.related
        ]
    return found
