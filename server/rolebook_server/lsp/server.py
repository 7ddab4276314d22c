"""The language server over pygls: open documents in, diagnostics and hovers out.

Diagnostics come in two phases: at once what is known within milliseconds, and after a quiet moment the rest, for every
open document, since an edit to one definition can mend or break another.
"""

from __future__ import annotations

import asyncio
import logging
import os
from importlib.metadata import version
from typing import cast

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from rolebook.problem import Problem
from rolebook.project.discover import is_definition, workspace_root
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules.rule import Phase
from rolebook.text import Encoding, Text
from rolebook_server.ide.completion import completion
from rolebook_server.ide.diagnostics import diagnostics
from rolebook_server.ide.hover import hover
from rolebook_server.ide.symbols import symbols
from rolebook_server.lsp.convert import to_completion, to_diagnostic, to_offset, to_path, to_range, to_symbol, to_uri
from rolebook_server.lsp.documents import edited

QUIET = 0.25
"""Seconds without an edit after which the second phase runs."""


class Server(LanguageServer):
    """Holds the documents and the snapshots, one for each workspace folder that they lie in."""

    def __init__(self) -> None:
        super().__init__("rolebook", version("rolebook"))
        self.documents: dict[str, Text] = {}
        self.versions: dict[str, int] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self._told: dict[str, tuple[int | None, tuple[Problem, ...]]] = {}
        self._pending: asyncio.TimerHandle | None = None

    @property
    def encoding(self) -> Encoding:
        negotiated = self.workspace.position_encoding  # pygls gives an enum's member or its plain value
        return cast(Encoding, getattr(negotiated, "value", negotiated))

    def snapshot_of(self, path: str) -> Snapshot:
        """The snapshot of the folder that `path` belongs to, with all open documents laid over the disk."""
        root = workspace_root(path) if os.path.isabs(path) else ""
        if root not in self.snapshots:
            texts = {open: text.source for open, text in self.documents.items()}
            self.snapshots[root] = Snapshot(DiskFiles(), root).with_texts(texts)
        return self.snapshots[root]

    def update(self, path: str, text: Text, version: int) -> None:
        """Takes in the new text of an open document."""
        self.documents[path], self.versions[path] = text, version
        self.snapshots = {root: old.with_texts({path: text.source}) for root, old in self.snapshots.items()}
        self.publish(path, "quick")
        self.publish_all_soon()

    def forget(self, path: str) -> None:
        """Goes back to what is on disk."""
        self.documents.pop(path, None)
        self.versions.pop(path, None)
        self._told.pop(path, None)
        self.reread(frozenset({path}))

    def reread(self, paths: frozenset[str]) -> None:
        """Drops what was read from these files; open documents stay as the editor has them."""
        closed = paths - self.documents.keys()
        self.snapshots = {root: old.with_texts({}, closed) for root, old in self.snapshots.items()}
        self.publish_all_soon()

    def publish(self, path: str, phase: Phase) -> None:
        """Sends the problems of an open document, unless the client has been told exactly these of this version."""
        snapshot, text, version = self.snapshot_of(path), self.documents[path], self.versions.get(path)
        found = diagnostics(snapshot, path, phase)
        if self._told.get(path) == (version, found):
            return
        self._told[path] = (version, found)
        items = [to_diagnostic(problem, text, snapshot, self.encoding) for problem in found]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(to_uri(path), items, version))

    def publish_all_soon(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
        self._pending = asyncio.get_running_loop().call_later(QUIET, self._publish_all)

    def _publish_all(self) -> None:
        for path in self.documents:
            self.publish(path, "full")


def make_server() -> Server:
    """A server with its features registered; the caller starts its transport."""
    server = Server()

    @server.feature(lsp.INITIALIZE)
    def on_initialize(_: lsp.InitializeParams) -> None:
        # pygls would apply each change to a document of its own first, and write what it makes of the positions into
        # the very parameters that we get.
        server.workspace.update_text_document = lambda *_: None  # type: ignore[method-assign]

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.update(to_path(document.uri), Text(document.text), document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        path = to_path(params.text_document.uri)
        text = edited(server.documents.get(path, Text("")), params.content_changes, server.encoding)
        server.update(path, text, params.text_document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        path = to_path(params.text_document.uri)
        server.forget(path)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        server.reread(frozenset({to_path(params.text_document.uri)}))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: lsp.DidChangeWatchedFilesParams) -> None:
        server.reread(frozenset(to_path(change.uri) for change in params.changes))

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def on_hover(params: lsp.HoverParams) -> lsp.Hover | None:
        path = to_path(params.text_document.uri)
        text = server.documents.get(path)
        if text is None:
            return None
        found = hover(server.snapshot_of(path), path, to_offset(params.position, text, server.encoding))
        if found is None:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown)
        return lsp.Hover(content, to_range(found.span, text, server.encoding))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["{", "<", '"']))
    def on_completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        path = to_path(params.text_document.uri)
        text = server.documents.get(path)
        snapshot = server.snapshot_of(path)
        if text is None or not is_definition(snapshot, path):
            return []
        offset = to_offset(params.position, text, server.encoding)
        return [to_completion(item, text, server.encoding) for item in completion(snapshot, path, offset)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def on_document_symbol(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        path = to_path(params.text_document.uri)
        snapshot = server.snapshot_of(path)
        source = snapshot.source(path)
        if source is None or not is_definition(snapshot, path):
            return []
        return [to_symbol(symbol, source.text, server.encoding) for symbol in symbols(source)]

    return server


def serve() -> None:
    """Serves on standard input and output until the client says `exit`; the log goes to standard error."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    make_server().start_io()
