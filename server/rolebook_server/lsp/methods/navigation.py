"""Where a name is defined, declared, used and highlighted, and what a file links to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rolebook_server.ide.definition import Target
from rolebook_server.ide.definition import declaration as declared
from rolebook_server.ide.definition import definition as defined
from rolebook_server.ide.highlights import highlights as highlighted
from rolebook_server.ide.links import Link
from rolebook_server.ide.links import links as linked
from rolebook_server.ide.references import references as referring
from rolebook_server.lsp.convert import RULES_URL
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Place, Server

_HIGHLIGHTS = {"read": 2, "write": 3}


def definition(server: Server, params: Params) -> list[dict[str, Any]]:
    place = server.place(params)
    return _targets(server, place, defined(place.snapshot, place.path, place.offset)) if place is not None else []


def declaration(server: Server, params: Params) -> list[dict[str, Any]]:
    place = server.place(params)
    return _targets(server, place, declared(place.snapshot, place.path, place.offset)) if place is not None else []


def references(server: Server, params: Params) -> list[dict[str, Any]]:
    place = server.place(params)
    context = params.object("context") if "context" in params else None
    declarations = context is None or context.value.get("includeDeclaration") is not False
    if place is None:
        return []
    paths = server.workspace.known_definitions()
    found = referring(place.snapshot, place.path, place.offset, paths, declarations=declarations)
    return [server.location(each.path, each.span) for each in found]


def highlights(server: Server, params: Params) -> list[dict[str, Any]]:
    place = server.place(params)
    if place is None:
        return []
    found = highlighted(place.snapshot, place.path, place.offset)
    return [{"range": place.convert.range(each.span), "kind": _HIGHLIGHTS[each.kind]} for each in found]


def links(server: Server, params: Params) -> list[dict[str, Any]]:
    file = server.file(params)
    if file is None:
        return []
    return [
        {"range": file.convert.range(link.span), "target": _address(server, link), "tooltip": link.tooltip}
        for link in linked(file.snapshot, file.path)
    ]


def _address(server: Server, link: Link) -> str:
    if link.kind == "rule":
        return f"{RULES_URL}/{link.target}.md"
    if link.kind == "address":
        return link.target
    uri = server.workspace.documents.uri(link.target)
    if not link.at.end:
        return uri
    start = server.convert(link.target).position(link.at.start)
    return f"{uri}#L{start['line'] + 1},{start['character'] + 1}"


def _targets(server: Server, place: Place, targets: Iterable[Target]) -> list[dict[str, Any]]:
    if not server.client.link_support:
        return [server.location(target.path, target.selection) for target in targets]
    return [
        {
            "originSelectionRange": place.convert.range(target.origin),
            "targetUri": server.workspace.documents.uri(target.path),
            "targetRange": server.convert(target.path).range(target.span),
            "targetSelectionRange": server.convert(target.path).range(target.selection),
        }
        for target in targets
    ]
