"""Documents that are opened, edited, saved and closed."""

from __future__ import annotations

from rolebook.text import Position
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path


def did_open(server: Server, params: Params) -> None:
    item = params.object("textDocument")
    document = server.workspace.documents.open(item.text("uri"), item.text("text"), _version(item))
    server.look_at_disk()
    server.workspace.changed(document.path)
    server.publisher.touched([document.path])


def did_change(server: Server, params: Params) -> None:
    item = params.object("textDocument")
    document = server.workspace.documents.get(to_path(item.text("uri")))
    if document is None:
        return  # a client that edits what it never opened has nothing that could be edited
    edits: list[tuple[Position, Position, str] | str] = [
        (*change.range(), change.text("text")) if "range" in change else change.text("text")
        for change in params.objects("contentChanges")
    ]
    document.change(edits, _version(item), server.client.encoding)
    server.workspace.changed(document.path)
    server.publisher.touched([document.path])


def did_save(server: Server, params: Params) -> None:
    path = to_path(params.uri)
    if path not in server.workspace.documents:
        server.reread([path])
    server.look_at_disk()


def did_close(server: Server, params: Params) -> None:
    path = to_path(params.uri)
    document = server.workspace.documents.close(path)
    if document is None:
        return
    server.workspace.closed(path)
    server.forget(path)
    server.publisher.closed(path, document.uri)


def _version(item: Params) -> int | None:
    return item.integer("version") if "version" in item else None
