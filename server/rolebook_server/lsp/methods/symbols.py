"""`textDocument/documentSymbol`."""

from __future__ import annotations

from typing import Any

from rolebook_server.ide.symbols import symbols
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path


def document_symbols(server: Server, params: Params) -> list[dict[str, Any]]:
    path = to_path(params.uri)
    source = server.definition(path)
    if source is None:
        return []
    convert = server.convert(path)
    return [convert.symbol(symbol) for symbol in symbols(source)]
