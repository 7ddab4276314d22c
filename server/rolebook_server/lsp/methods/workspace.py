"""Folders, files on disk and settings that change."""

from __future__ import annotations

from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path


def did_change_watched_files(server: Server, params: Params) -> None:
    server.reread([to_path(change.text("uri")) for change in params.objects("changes")])


def did_change_folders(server: Server, params: Params) -> None:
    event = params.object("event")
    removed = {to_path(folder.text("uri")) for folder in event.objects("removed")}
    kept = [folder for folder in server.workspace.folders if folder not in removed]
    server.workspace.set_folders([*kept, *(to_path(folder.text("uri")) for folder in event.objects("added"))])
    server.loop.background(server.index())


def did_change_configuration(server: Server, _: Params) -> None:
    """Settings are in `rolebook.toml`, so that check and editor agree; a change of the editor's own means nothing."""


def did_rename_files(server: Server, params: Params) -> None:
    pairs = [(each.text("oldUri"), each.text("newUri")) for each in params.objects("files")]
    server.reread([to_path(uri) for pair in pairs for uri in pair])
