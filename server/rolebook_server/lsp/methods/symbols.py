"""The outline of a file, the symbols of the workspace, and who hands over to whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolebook_server.ide.call_hierarchy import Call, Item, incoming, outgoing, prepare
from rolebook_server.ide.symbols import Symbol, symbols
from rolebook_server.ide.workspace_symbols import workspace_symbols
from rolebook_server.lsp.convert import Converter
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path

_KINDS = {"agent": 5, "key": 7, "item": 19, "tool": 12, "state": 13, "file": 1}
"""LSP's numbers: class, property, object, function, variable, file."""


def document_symbols(server: Server, params: Params) -> list[dict[str, Any]]:
    path = to_path(params.uri)
    source = server.definition(path)
    if source is None:
        return []
    outline = symbols(source)
    if server.client.hierarchical_symbols:
        convert = server.convert(path)
        return [_symbol(symbol, convert) for symbol in outline]
    return list(_flat(server, path, outline, ""))


def in_workspace(server: Server, params: Params) -> list[dict[str, Any]]:
    query = params.text("query")
    by_root: dict[str, list[str]] = {}
    for path in server.workspace.known_definitions():
        by_root.setdefault(server.workspace.root_of(path), []).append(path)
    return [
        {
            "name": found.name,
            "kind": _KINDS[found.kind],
            "containerName": found.container,
            "location": server.location(found.path, found.span),
        }
        for paths in by_root.values()
        for found in workspace_symbols(server.workspace.snapshot(paths[0]), query, paths)
    ]


def prepare_calls(server: Server, params: Params) -> list[dict[str, Any]]:
    place = server.place(params)
    if place is None:
        return []
    return [_item(server, item) for item in prepare(place.snapshot, place.path, place.offset)]


def incoming_calls(server: Server, params: Params) -> list[dict[str, Any]]:
    return _calls(server, params, incoming=True)


def outgoing_calls(server: Server, params: Params) -> list[dict[str, Any]]:
    return _calls(server, params, incoming=False)


def _calls(server: Server, params: Params, *, incoming: bool) -> list[dict[str, Any]]:
    item = params.object("item")
    path = to_path(item.text("uri"))
    offset = server.convert(path).offset(item.range("selectionRange")[0])
    ask = _INCOMING if incoming else _OUTGOING
    if server.definition(path) is None:
        return []
    return [
        {
            "from" if incoming else "to": _item(server, call.item),
            "fromRanges": _ranges(server, call.item.path if incoming else path, call),
        }
        for call in ask(server.workspace.snapshot(path), path, offset)
    ]


_INCOMING, _OUTGOING = incoming, outgoing


def _ranges(server: Server, caller: str, call: Call) -> list[dict[str, Any]]:
    convert = server.convert(caller)
    return [convert.range(span) for span in call.spans]


def _item(server: Server, item: Item) -> dict[str, Any]:
    convert = server.convert(item.path)
    return {
        "name": item.name,
        "kind": _KINDS["agent"],
        "detail": item.detail,
        "uri": server.workspace.documents.uri(item.path),
        "range": convert.range(item.span),
        "selectionRange": convert.range(item.selection),
    }


def _symbol(symbol: Symbol, convert: Converter) -> dict[str, Any]:
    return {
        "name": symbol.name,
        "detail": symbol.detail,
        "kind": _KINDS[symbol.kind],
        "range": convert.range(symbol.span),
        "selectionRange": convert.range(symbol.selection),
        "children": [_symbol(child, convert) for child in symbol.children],
    }


def _flat(server: Server, path: str, outline: tuple[Symbol, ...], container: str) -> Iterator[dict[str, Any]]:
    """The outline for a client that knows no hierarchy."""
    for symbol in outline:
        yield {
            "name": symbol.name,
            "kind": _KINDS[symbol.kind],
            "containerName": container,
            "location": server.location(path, symbol.span),
        }
        yield from _flat(server, path, symbol.children, symbol.name)
