"""Changes of the features as a `WorkspaceEdit` of the protocol, as far as the client can take it."""

from __future__ import annotations

from typing import Any

from rolebook.text import Edit
from rolebook_server.ide.changes import Change, Changes, Refusal
from rolebook_server.lsp.errors import REQUEST_FAILED, ReplyError
from rolebook_server.lsp.server import Server


def workspace_edit(server: Server, changes: Changes | Refusal) -> dict[str, Any]:
    """The edit. Raises ReplyError with the reason of a refusal, and where the client can't make, move or delete files.

    Edits that a person should look at first are annotated where the client asks about such; elsewhere they are left out
    of the edit and told, since a change that nobody asked about would be worse than one that is missing.
    """
    if isinstance(changes, Refusal):
        raise ReplyError(REQUEST_FAILED, changes.reason)
    client = server.client
    if changes.touches_files and not (client.document_changes and client.creates_files and client.renames_files):
        raise ReplyError(REQUEST_FAILED, "the editor can't make, move or delete files for us")
    if not client.document_changes:
        return {"changes": {_uri(server, path): _plain(server, path, edits) for path, edits in changes.edits.items()}}
    annotations: dict[str, Any] = {}
    operations: list[dict[str, Any]] = []
    for path, text in changes.created.items():
        operations.append({"kind": "create", "uri": _uri(server, path), "options": {"ignoreIfExists": True}})
        start = {"line": 0, "character": 0}
        edit = {"range": {"start": start, "end": start}, "newText": text}
        operations.append({"textDocument": {"uri": _uri(server, path), "version": None}, "edits": [edit]})
    for path, edits in changes.edits.items():
        document = server.workspace.documents.get(path)
        version = document.version if document is not None else None
        items = _annotated(server, path, edits, annotations) if client.annotations else _plain(server, path, edits)
        operations.append({"textDocument": {"uri": _uri(server, path), "version": version}, "edits": items})
    for old, new in changes.renamed:
        operations.append({"kind": "rename", "oldUri": _uri(server, old), "newUri": _uri(server, new)})
    operations += [{"kind": "delete", "uri": _uri(server, path)} for path in changes.deleted]
    return {"documentChanges": operations} | ({"changeAnnotations": annotations} if annotations else {})


def _plain(server: Server, path: str, edits: tuple[Change, ...]) -> list[dict[str, Any]]:
    """The edits without those that need a look, of which the user is told."""
    left_out = [edit for edit in edits if edit.confirm]
    if left_out:
        what = f"{len(left_out)} place{'' if len(left_out) == 1 else 's'} in {path}"
        message = f"Rolebook left {what} alone: {left_out[0].confirm}"
        server.notify("window/showMessage", {"type": 3, "message": message})
    convert = server.convert(path)
    return convert.edits(Edit(edit.span, edit.text) for edit in edits if not edit.confirm)


def _annotated(
    server: Server, path: str, edits: tuple[Change, ...], annotations: dict[str, Any]
) -> list[dict[str, Any]]:
    convert = server.convert(path)
    found: list[dict[str, Any]] = []
    for edit in edits:
        item: dict[str, Any] = {"range": convert.range(edit.span), "newText": edit.text}
        if edit.confirm:
            annotations[edit.confirm] = {"label": edit.confirm, "needsConfirmation": True}
            item["annotationId"] = edit.confirm
        found.append(item)
    return found


def _uri(server: Server, path: str) -> str:
    return server.workspace.documents.uri(path)
