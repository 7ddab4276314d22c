"""Renames of names and of files, and code actions."""

from __future__ import annotations

from typing import Any

from rolebook.text import Span
from rolebook_server.ide.actions import Action, resolve
from rolebook_server.ide.actions import actions as actions_at
from rolebook_server.ide.changes import Changes, Refusal
from rolebook_server.ide.file_rename import moved
from rolebook_server.ide.rename import prepare
from rolebook_server.ide.rename import rename as renamed
from rolebook_server.lsp.convert import RULES_URL, diagnostics
from rolebook_server.lsp.edits import workspace_edit
from rolebook_server.lsp.errors import CONTENT_MODIFIED, REQUEST_FAILED, ReplyError
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path


def prepare_rename(server: Server, params: Params) -> dict[str, Any] | None:
    place = server.place(params)
    found = prepare(place.snapshot, place.path, place.offset) if place is not None else None
    if isinstance(found, Refusal):
        raise ReplyError(REQUEST_FAILED, found.reason)
    if place is None or found is None:
        return None
    return {"range": place.convert.range(found.span), "placeholder": found.text}


def rename(server: Server, params: Params) -> dict[str, Any] | None:
    place, new = server.place(params), params.text("newName")
    if place is None:
        return None
    paths = server.workspace.known_definitions()
    return workspace_edit(server, renamed(place.snapshot, place.path, place.offset, new, paths))


def will_rename_files(server: Server, params: Params) -> dict[str, Any] | None:
    """The paths in definitions that must follow files which the user is about to move."""
    moves = [(to_path(each.text("oldUri")), to_path(each.text("newUri"))) for each in params.objects("files")]
    if not moves:
        return None
    paths = server.workspace.known_definitions()
    edits: dict[str, Any] = {}
    by_root: dict[str, list[tuple[str, str]]] = {}
    for old, new in moves:
        by_root.setdefault(server.workspace.root_of(old), []).append((old, new))
    for pairs in by_root.values():
        edits |= moved(server.workspace.snapshot(pairs[0][0]), pairs, paths).edits
    return workspace_edit(server, Changes(edits)) if edits else None


def actions(server: Server, params: Params) -> list[dict[str, Any]]:
    (start, end), context = params.range(), params.object("context")
    path = to_path(params.uri)
    only = context.value.get("only")
    kinds = [kind for kind in only if isinstance(kind, str)] if isinstance(only, list) else []
    if not server.workspace.concerns(path):
        return []
    convert = server.convert(path)
    span = Span(convert.offset(start), convert.offset(end))
    snapshot = server.workspace.snapshot(path)
    found = actions_at(snapshot, path, span, server.publisher.problems(path), kinds)
    listed = [_action(server, path, action) for action in found]
    if server.client.resolves_edits:
        return listed
    return [complete for each in listed if (complete := _completed(server, each)) is not None]


def resolved(server: Server, params: Params) -> dict[str, Any]:
    if "data" not in params:
        return dict(params.value)
    return _with_edit(server, dict(params.value), params.object("data"))


def _action(server: Server, path: str, action: Action) -> dict[str, Any]:
    found: dict[str, Any] = {"title": action.title, "kind": action.kind}
    if action.preferred:
        found["isPreferred"] = True
    if action.problem is not None:
        found["diagnostics"] = diagnostics(server.workspace, server.client, path, [action.problem])
    if action.explains:
        page = f"{RULES_URL}/{action.explains}.md"
        found["command"] = {"title": action.title, "command": "rolebook.explain", "arguments": [action.explains, page]}
    else:
        document = server.workspace.documents.get(path)
        found["data"] = {
            "path": path,
            "start": action.span.start,
            "end": action.span.end,
            "id": action.id,
            "version": document.version if document is not None else None,
        }
    return found


def _completed(server: Server, action: dict[str, Any]) -> dict[str, Any] | None:
    """The action with its edit, for a client that doesn't ask for it later; None for one that can't be made."""
    if "data" not in action:
        return action
    try:
        action = _with_edit(server, action, Params(action["data"], "data"))
    except ReplyError:
        return None
    del action["data"]
    return action


def _with_edit(server: Server, action: dict[str, Any], data: Params) -> dict[str, Any]:
    path = data.text("path")
    document = server.workspace.documents.get(path)
    if document is not None and document.version != data.value.get("version"):
        raise ReplyError(CONTENT_MODIFIED, "the text has changed since")
    span = Span(data.integer("start"), data.integer("end"))
    changes = resolve(server.workspace.snapshot(path), path, span, data.text("id"), server.publisher.problems(path))
    return {**action, "edit": workspace_edit(server, changes)}
