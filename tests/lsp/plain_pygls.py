"""A server that is nothing but pygls with a hover, for `ROLEBOOK_LSP=pygls pytest tests/lsp/test_conformance.py`."""

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("plain", "0")


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def hover(params: lsp.HoverParams) -> None:
    server.workspace.get_text_document(params.text_document.uri).offset_at_position(params.position)


@server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
def completion(_: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    return []


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def symbols(_: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    return []


server.start_io()
