"""The table of methods: what each is called, who answers it, and when.

A row's module is loaded when it is first called, so that a session pays for what it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rolebook_server.lsp.params import Params
    from rolebook_server.lsp.server import Server


class Lane(Enum):
    """NOTIFICATION has no reply and may change what the server holds. PROMPT is answered at once, in the order of the
    messages, and takes milliseconds. BACKGROUND is a generator, done a step at a time while nothing else waits."""

    NOTIFICATION = "notification"
    PROMPT = "prompt"
    BACKGROUND = "background"


class Method(NamedTuple):
    name: str
    lane: Lane
    function: str
    """`module.function` in `rolebook_server.lsp.methods`; it gets the server and the params."""

    def call(self, server: Server, params: Params) -> Any:
        module, _, name = self.function.partition(".")
        function: Callable[[Server, Params], Any] = getattr(
            import_module(f"rolebook_server.lsp.methods.{module}"), name
        )
        return function(server, params)


_TABLE = (
    Method("initialized", Lane.NOTIFICATION, "lifecycle.initialized"),
    Method("$/setTrace", Lane.NOTIFICATION, "lifecycle.nothing"),
    Method("$/progress", Lane.NOTIFICATION, "lifecycle.nothing"),
    Method("window/workDoneProgress/cancel", Lane.NOTIFICATION, "lifecycle.nothing"),
    Method("textDocument/didOpen", Lane.NOTIFICATION, "documents.did_open"),
    Method("textDocument/didChange", Lane.NOTIFICATION, "documents.did_change"),
    Method("textDocument/didSave", Lane.NOTIFICATION, "documents.did_save"),
    Method("textDocument/didClose", Lane.NOTIFICATION, "documents.did_close"),
    Method("workspace/didChangeWatchedFiles", Lane.NOTIFICATION, "workspace.did_change_watched_files"),
    Method("workspace/didChangeWorkspaceFolders", Lane.NOTIFICATION, "workspace.did_change_folders"),
    Method("workspace/didChangeConfiguration", Lane.NOTIFICATION, "workspace.did_change_configuration"),
    Method("workspace/didRenameFiles", Lane.NOTIFICATION, "workspace.did_rename_files"),
    Method("textDocument/diagnostic", Lane.PROMPT, "diagnostics.of_document"),
    Method("workspace/diagnostic", Lane.BACKGROUND, "diagnostics.of_workspace"),
    Method("textDocument/hover", Lane.PROMPT, "hover.hover"),
    Method("textDocument/completion", Lane.PROMPT, "completion.completion"),
    Method("completionItem/resolve", Lane.PROMPT, "completion.resolved"),
    Method("textDocument/definition", Lane.PROMPT, "navigation.definition"),
    Method("textDocument/declaration", Lane.PROMPT, "navigation.declaration"),
    Method("textDocument/references", Lane.PROMPT, "navigation.references"),
    Method("textDocument/documentHighlight", Lane.PROMPT, "navigation.highlights"),
    Method("textDocument/documentLink", Lane.PROMPT, "navigation.links"),
    Method("textDocument/documentSymbol", Lane.PROMPT, "symbols.document_symbols"),
    Method("workspace/symbol", Lane.PROMPT, "symbols.in_workspace"),
    Method("textDocument/prepareCallHierarchy", Lane.PROMPT, "symbols.prepare_calls"),
    Method("callHierarchy/incomingCalls", Lane.PROMPT, "symbols.incoming_calls"),
    Method("callHierarchy/outgoingCalls", Lane.PROMPT, "symbols.outgoing_calls"),
    Method("textDocument/foldingRange", Lane.PROMPT, "structure.folding"),
    Method("textDocument/selectionRange", Lane.PROMPT, "structure.selection_ranges"),
    Method("textDocument/semanticTokens/full", Lane.PROMPT, "glance.tokens"),
    Method("textDocument/semanticTokens/full/delta", Lane.PROMPT, "glance.tokens_delta"),
    Method("textDocument/semanticTokens/range", Lane.PROMPT, "glance.tokens_in_range"),
    Method("textDocument/inlayHint", Lane.PROMPT, "glance.hints"),
    Method("textDocument/codeLens", Lane.PROMPT, "glance.lenses"),
    Method("codeLens/resolve", Lane.PROMPT, "glance.resolved_lens"),
    Method("textDocument/prepareRename", Lane.PROMPT, "changing.prepare_rename"),
    Method("textDocument/rename", Lane.PROMPT, "changing.rename"),
    Method("workspace/willRenameFiles", Lane.PROMPT, "changing.will_rename_files"),
    Method("textDocument/codeAction", Lane.PROMPT, "changing.actions"),
    Method("codeAction/resolve", Lane.PROMPT, "changing.resolved"),
    Method("workspace/executeCommand", Lane.PROMPT, "commands.execute"),
    Method("rolebook/preview", Lane.PROMPT, "commands.preview_of"),
)

METHODS: dict[str, Method] = {row.name: row for row in _TABLE}
