"""Our values to the protocol's, in the position encoding that the client asked for."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls import uris

from rolebook.problem import Problem, Severity
from rolebook.project.snapshot import Snapshot
from rolebook.text import Encoding, Position, Span, Text
from rolebook_server.ide.completion import Item
from rolebook_server.ide.symbols import Symbol

_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}

_ITEM = {
    "key": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.EnumMember,
    "file": lsp.CompletionItemKind.File,
    "state": lsp.CompletionItemKind.Variable,
    "agent": lsp.CompletionItemKind.Class,
}
_SYMBOL = {"agent": lsp.SymbolKind.Class, "key": lsp.SymbolKind.Property, "item": lsp.SymbolKind.Object}


def to_range(span: Span, text: Text, encoding: Encoding) -> lsp.Range:
    start, end = text.position(span.start, encoding), text.position(span.end, encoding)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def to_offset(position: lsp.Position, text: Text, encoding: Encoding) -> int:
    return text.offset(Position(position.line, position.character), encoding)


def to_diagnostic(problem: Problem, text: Text, snapshot: Snapshot, encoding: Encoding) -> lsp.Diagnostic:
    related = []
    for other in problem.related:
        source = snapshot.source(other.path)
        if source is not None:
            location = lsp.Location(to_uri(other.path), to_range(other.span, source.text, encoding))
            related.append(lsp.DiagnosticRelatedInformation(location, other.message))
    return lsp.Diagnostic(
        range=to_range(problem.span, text, encoding),
        message=problem.message,
        severity=_SEVERITY[problem.severity],
        code=problem.rule,
        source="rolebook",
        related_information=related or None,
    )


def to_completion(item: Item, text: Text, encoding: Encoding) -> lsp.CompletionItem:
    documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, item.documentation) if item.documentation else None
    return lsp.CompletionItem(
        label=item.label,
        kind=_ITEM[item.kind],
        documentation=documentation,
        filter_text=item.label,
        text_edit=lsp.TextEdit(to_range(item.span, text, encoding), item.text),
    )


def to_symbol(symbol: Symbol, text: Text, encoding: Encoding) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=symbol.name,
        detail=symbol.detail or None,
        kind=_SYMBOL[symbol.kind],
        range=to_range(symbol.span, text, encoding),
        selection_range=to_range(symbol.selection, text, encoding),
        children=[to_symbol(child, text, encoding) for child in symbol.children],
    )


def to_path(uri: str) -> str:
    """The file of a `file:` URI; another URI (`untitled:`) is its own name."""
    return (uris.to_fs_path(uri) or uri) if uri.startswith("file:") else uri


def to_uri(path: str) -> str:
    return (uris.from_fs_path(path) or path) if not path.startswith("untitled:") else path
