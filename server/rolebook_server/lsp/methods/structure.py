"""How a file folds, and how a selection grows in it."""

from __future__ import annotations

from typing import Any

from rolebook_server.ide.folding import folds
from rolebook_server.ide.selection import selection
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path


def folding(server: Server, params: Params) -> list[dict[str, Any]]:
    path = to_path(params.uri)
    source = server.definition(path)
    if source is None:
        return []
    convert = server.convert(path)
    found: list[dict[str, Any]] = []
    for fold in folds(source):
        start, end = convert.position(fold.span.start), convert.position(fold.span.end)
        item: dict[str, Any] = {"startLine": start["line"], "endLine": end["line"], "kind": fold.kind}
        if not server.client.line_folding:
            item |= {"startCharacter": start["character"], "endCharacter": end["character"]}
        found.append(item)
    return found


def selection_ranges(server: Server, params: Params) -> list[dict[str, Any]]:
    positions, file = params.positions("positions"), server.file(params)
    if file is None:
        return [{"range": {"start": place._asdict(), "end": place._asdict()}} for place in positions]
    found: list[dict[str, Any]] = []
    for position in positions:
        chain: dict[str, Any] | None = None
        for span in reversed(selection(file.snapshot, file.path, file.convert.offset(position))):
            chain = {"range": file.convert.range(span)} | ({"parent": chain} if chain is not None else {})
        found.append(chain or {"range": {"start": position._asdict(), "end": position._asdict()}})
    return found
