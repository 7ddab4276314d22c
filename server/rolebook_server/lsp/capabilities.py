"""What the server says it can do, in the answer to `initialize`. Plain data, so that nothing else is loaded for it."""

from __future__ import annotations

from typing import Any

from rolebook_server.lsp.client import Client

COMMANDS = (
    "rolebook.preview", "rolebook.showRequest", "rolebook.graph", "rolebook.run", "rolebook.stop",
    "rolebook.showServerState", "rolebook.explain",
)  # fmt: skip

_MOVED = {
    "filters": [
        {"scheme": "file", "pattern": {"glob": "**/*.{yaml,yml,md}", "matches": "file"}},
        {"scheme": "file", "pattern": {"glob": "**", "matches": "folder"}},
    ]
}

TOKEN_TYPES = (
    "class", "type", "property", "variable", "parameter", "namespace", "function", "enumMember", "string", "operator",
    "decorator",
)  # fmt: skip
TOKEN_MODIFIERS = (
    "declaration", "modification", "static", "deprecated", "defaultLibrary", "optional", "unknown", "escaped",
)  # fmt: skip
"""The legend of semantic tokens, as `ide.semantic_tokens` has it."""

WATCHED = ("**/*.{yaml,yml,md,py}", "**/rolebook.toml", "**/pyproject.toml")
"""The files whose changes the client is asked to tell of."""


def server_capabilities(client: Client) -> dict[str, Any]:
    """The result of `initialize`, its version left out: that of the package is found out where time allows."""
    return {
        "capabilities": {
            "positionEncoding": client.encoding,
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
            "hoverProvider": True,
            "completionProvider": {
                "triggerCharacters": ["{", "<", '"', "`", "[", " ", "."],
                "resolveProvider": True,
            },
            "definitionProvider": True,
            "declarationProvider": True,
            "referencesProvider": True,
            "documentHighlightProvider": True,
            "documentLinkProvider": {"resolveProvider": False},
            "documentSymbolProvider": True,
            "workspaceSymbolProvider": True,
            "callHierarchyProvider": True,
            "foldingRangeProvider": True,
            "selectionRangeProvider": True,
            "semanticTokensProvider": {
                "legend": {"tokenTypes": list(TOKEN_TYPES), "tokenModifiers": list(TOKEN_MODIFIERS)},
                "full": {"delta": True},
                "range": True,
            },
            "inlayHintProvider": {"resolveProvider": False},
            "codeLensProvider": {"resolveProvider": True},
            "renameProvider": {"prepareProvider": True},
            "codeActionProvider": {
                "codeActionKinds": ["quickfix", "refactor", "source.fixAll.rolebook"],
                "resolveProvider": True,
            },
            "executeCommandProvider": {"commands": list(COMMANDS)},
            "diagnosticProvider": {
                "identifier": "rolebook",
                "interFileDependencies": True,
                "workspaceDiagnostics": True,
            },
            "workspace": {
                "workspaceFolders": {"supported": True, "changeNotifications": True},
                "fileOperations": {"willRename": _MOVED, "didRename": _MOVED},
            },
        },
        "serverInfo": {"name": "rolebook"},
    }
