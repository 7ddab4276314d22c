"""What the client can do, worked out once from its `initialize` params. What it doesn't say, it can't do.

Nothing in here is refused: an unknown value, or one of the wrong type, counts as not given, since a newer client must
not be locked out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rolebook.record import Record
from rolebook.text import Encoding

_ENCODINGS: tuple[Encoding, ...] = ("utf-32", "utf-8", "utf-16")
"""Those we speak, the cheapest for us first: our offsets count code points."""


class Client(Record):
    """The client's capabilities as far as they make a difference here."""

    encoding: Encoding = "utf-16"
    process_id: int | None = None
    pulls: bool = False
    refreshes_diagnostics: bool = False
    related_information: bool = False
    code_descriptions: bool = False
    tags: bool = False
    snippets: bool = False
    takes_indents: bool = False
    """Whether text of several lines can be inserted as it is (`InsertTextMode.asIs`)."""
    hierarchical_symbols: bool = False
    link_support: bool = False
    document_changes: bool = False
    annotations: bool = False
    renames_files: bool = False
    creates_files: bool = False
    watches: bool = False
    shows_documents: bool = False
    resolves_edits: bool = False
    line_folding: bool = False
    extension: bool = False
    """Whether it is our own extension, which takes our notifications."""


def read_client(params: Mapping[str, Any]) -> Client:
    """The client behind these `initialize` params."""
    at = _Reader(params.get("capabilities"))
    pid = params.get("processId")
    offered = at.texts("general", "positionEncodings")
    encoding = next((each for each in _ENCODINGS if each in offered), "utf-16")
    resolves = at.texts("textDocument", "codeAction", "resolveSupport", "properties")
    return Client(
        encoding=cast(Encoding, encoding),
        process_id=pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None,
        pulls=at.has("textDocument", "diagnostic"),
        refreshes_diagnostics=at.flag("workspace", "diagnostics", "refreshSupport"),
        related_information=at.flag("textDocument", "publishDiagnostics", "relatedInformation"),
        code_descriptions=at.flag("textDocument", "publishDiagnostics", "codeDescriptionSupport"),
        tags=at.has("textDocument", "publishDiagnostics", "tagSupport"),
        snippets=at.flag("textDocument", "completion", "completionItem", "snippetSupport"),
        takes_indents=1
        in at.items("textDocument", "completion", "completionItem", "insertTextModeSupport", "valueSet"),
        hierarchical_symbols=at.flag("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"),
        link_support=at.flag("textDocument", "definition", "linkSupport"),
        document_changes=at.flag("workspace", "workspaceEdit", "documentChanges"),
        annotations=at.has("workspace", "workspaceEdit", "changeAnnotationSupport"),
        renames_files="rename" in at.texts("workspace", "workspaceEdit", "resourceOperations"),
        creates_files="create" in at.texts("workspace", "workspaceEdit", "resourceOperations"),
        watches=at.flag("workspace", "didChangeWatchedFiles", "dynamicRegistration"),
        shows_documents=at.flag("window", "showDocument", "support"),
        resolves_edits="edit" in resolves,
        line_folding=at.flag("textDocument", "foldingRange", "lineFoldingOnly"),
        extension=at.flag("experimental", "rolebook"),
    )


class _Reader:
    def __init__(self, value: Any) -> None:
        self._value = value

    def flag(self, *path: str) -> bool:
        return self._find(path) is True

    def has(self, *path: str) -> bool:
        return isinstance(self._find(path), Mapping)

    def texts(self, *path: str) -> tuple[str, ...]:
        return tuple(item for item in self.items(*path) if isinstance(item, str))

    def items(self, *path: str) -> tuple[Any, ...]:
        found = self._find(path)
        return tuple(found) if isinstance(found, list) else ()

    def _find(self, path: tuple[str, ...]) -> Any:
        value = self._value
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value
