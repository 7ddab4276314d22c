"""What the server says it can do, in the answer to `initialize`. Plain data, so that nothing else is loaded for it."""

from __future__ import annotations

from typing import Any

from rolebook_server.lsp.client import Client

_DEFINITIONS = "**/*.{yaml,yml,md}"
WATCHED = ("**/*.{yaml,yml,md,py}", "**/rolebook.toml", "**/pyproject.toml")
"""The files whose changes the client is asked to tell of."""


def server_capabilities(client: Client) -> dict[str, Any]:
    """The result of `initialize`, its version left out: that of the package is found out where time allows."""
    return {
        "capabilities": {
            "positionEncoding": client.encoding,
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
            "hoverProvider": True,
            "completionProvider": {"triggerCharacters": ["{", "<", '"', "`", "[", " ", "."]},
            "documentSymbolProvider": True,
            "diagnosticProvider": {
                "identifier": "rolebook",
                "interFileDependencies": True,
                "workspaceDiagnostics": True,
            },
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        },
        "serverInfo": {"name": "rolebook"},
    }
