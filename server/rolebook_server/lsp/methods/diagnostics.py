"""Problems for a client that pulls them (LSP 3.17), of one document or of the workspace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from rolebook_server.lsp.convert import diagnostics
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path

_WAIT = 0.3
"""Seconds between two looks for news while a pull of the workspace is kept waiting."""


def of_document(server: Server, params: Params) -> dict[str, Any]:
    path = to_path(params.uri)
    return _report(server, path, params.text_or_none("previousResultId"))


def of_workspace(server: Server, params: Params) -> Iterator[float | None]:
    """Answers as soon as anything is new to the client; else it waits until something is (a long poll)."""
    known = {to_path(each.text("uri")): each.text("value") for each in params.objects("previousResultIds")}
    token = params.value.get("partialResultToken")
    while True:
        generation = server.publisher.generation
        if server.workspace.definitions is None:
            yield from server.workspace.find_definitions()
        paths = dict.fromkeys([*server.workspace.known_definitions(), *known])
        news: list[dict[str, Any]] = []
        for path in paths:
            report = _report(server, path, known.get(path))
            if report["kind"] == "full":
                document = server.workspace.documents.get(path)
                version = document.version if document is not None else None
                news.append({**report, "uri": server.workspace.documents.uri(path), "version": version})
                if isinstance(token, str | int) and len(news) >= 100:
                    server.notify("$/progress", {"token": token, "value": {"items": news}})
                    known |= {to_path(each["uri"]): each["resultId"] for each in news}
                    news = []
            yield None
        yield from server.workspace.remembered.store(server.workspace.known_definitions())
        if news or generation == 0:
            return {"items": news}  # type: ignore[return-value]
        while server.publisher.generation == generation:
            yield _WAIT


def _report(server: Server, path: str, known: str | None) -> dict[str, Any]:
    """A full report, or that nothing has changed since the one with the id that the client knows."""
    items = diagnostics(server.workspace, server.client, path, server.publisher.problems(path))
    id = hashlib.blake2b(json.dumps(items).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    if id == known:
        return {"kind": "unchanged", "resultId": id}
    return {"kind": "full", "resultId": id, "items": items}
