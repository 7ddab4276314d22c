"""`textDocument/completion`, and the documentation of one proposal once it is looked at."""

from __future__ import annotations

from typing import Any

from rolebook_server.ide.completion import Item, ItemKind, resolve
from rolebook_server.ide.completion import completion as complete
from rolebook_server.lsp.client import Client
from rolebook_server.lsp.convert import Converter, markdown
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server

_KINDS: dict[ItemKind, int] = {"key": 10, "value": 20, "file": 17, "state": 6, "agent": 7}
"""LSP's numbers: property, enum member, file, variable, class. What isn't listed is a text."""

_SNIPPET = 2
_AS_IS = 1


def completion(server: Server, params: Params) -> dict[str, Any]:
    place = server.place(params)
    if place is None:
        return {"isIncomplete": False, "items": []}
    found = complete(place.snapshot, place.path, place.offset)
    items = [_item(item, place.convert, server.client) for item in found]
    for item in items:
        if "data" in item:
            item["data"]["path"] = place.path
    return {"isIncomplete": False, "items": items}


def resolved(server: Server, params: Params) -> dict[str, Any]:
    """The proposal with its documentation. One that isn't ours comes back as it is."""
    item = dict(params.value)
    data = params.object("data") if "data" in params else None
    if data is not None:
        path = data.text("path")
        documentation = resolve(server.workspace.snapshot(path), path, data.text("id"))
        if documentation:
            item["documentation"] = markdown(documentation)
    return item


def _item(item: Item, convert: Converter, client: Client) -> dict[str, Any]:
    as_snippet = client.snippets and item.snippet != ""
    found: dict[str, Any] = {
        "label": item.label,
        "kind": _KINDS.get(item.kind, 1),
        "filterText": item.label,
        "textEdit": {"range": convert.range(item.span), "newText": item.snippet if as_snippet else item.text},
    }
    if as_snippet:
        found["insertTextFormat"] = _SNIPPET
    elif "\n" in item.text and client.takes_indents:
        found["insertTextMode"] = _AS_IS
    if item.detail:
        found["detail"] = item.detail
    if item.sort:
        found["sortText"] = item.sort
    if item.preselect:
        found["preselect"] = True
    if item.documentation:
        found["documentation"] = markdown(item.documentation)
    if item.id:
        found["data"] = {"id": item.id}
    return found
