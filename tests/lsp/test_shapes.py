"""Every result has the shape that LSP gives it: lsprotocol, made from the specification itself, is the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import converters
from lsprotocol import types as lsp
from strict import strict_client

from rolebook_server.lsp.capabilities import server_capabilities
from rolebook_server.lsp.client import Client
from rolebook_server.lsp.table import METHODS, Lane

TEXT = """\
name: desk
model: gemini-flash-latest
instruction: |
  Help 🙂 {user_name} of {city}. For flights call transfer_to_agent("booking").
state: {user_name: Ann}
tools: [{name: exit_loop}]
output_key: answer
sub_agents:
- name: booking
  description: Books flights.
  instruction: Book for {user_name}.
- config_path: kid.agent.yaml
"""
RICH: dict[str, Any] = {
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "definition": {"linkSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
            "resolveSupport": {"properties": ["edit"]},
        },
        "publishDiagnostics": {
            "relatedInformation": True,
            "tagSupport": {"valueSet": [1]},
            "codeDescriptionSupport": True,
        },
    },
    "workspace": {
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "changeAnnotationSupport": {},
        }
    },
}
CONVERTER = converters.get_converter()
REQUESTS = [row.name for row in METHODS.values() if row.lane is not Lane.NOTIFICATION]


def judged(method: str, reply: dict[str, Any]) -> Any:
    """The result as lsprotocol reads it; raises where it has another shape."""
    return CONVERTER.structure({"jsonrpc": "2.0", **reply}, lsp.METHOD_TO_TYPES[method][1]).result


@pytest.mark.parametrize("capabilities", [{}, RICH], ids=["poor", "rich"])
def test_results_of_all_methods(tmp_path: Path, capabilities: dict[str, Any]) -> None:
    (tmp_path / "kid.agent.yaml").write_text(
        "name: kid\ndescription: Kid.\ninstruction: Hi {answer}.\n", encoding="utf-8"
    )
    uri = (tmp_path / "root_agent.yaml").as_uri()
    lines = TEXT.splitlines()
    somewhere = [{"line": n, "character": c} for n, line in enumerate(lines) for c in range(0, len(line) + 1, 3)]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    seen: dict[str, int] = {}
    with strict_client() as client:
        client.initialize(capabilities=capabilities, rootUri=tmp_path.as_uri())
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": TEXT}
        client.notify("textDocument/didOpen", {"textDocument": document})
        found = client.notification("textDocument/publishDiagnostics", uri=uri)
        CONVERTER.structure(found, lsp.PublishDiagnosticsParams)

        def ask(method: str, params: Any) -> Any:
            reply = client.reply(client.ask(method, params))
            assert "result" in reply, reply
            judged(method, reply)
            seen[method] = seen.get(method, 0) + bool(reply["result"])
            return reply["result"]

        for position in somewhere:
            params = {"textDocument": {"uri": uri}, "position": position, "context": {"includeDeclaration": True}}
            for method in REQUESTS:
                if method.startswith("textDocument/") and "position" in _fields(method):
                    if method in ("textDocument/rename", "textDocument/prepareRename"):  # which may refuse
                        reply = client.reply(client.ask(method, {**params, "newName": "other"}))
                        seen[method] = seen.get(method, 0) + ("result" in reply)
                        continue
                    result = ask(method, params)
                    if method == "textDocument/prepareCallHierarchy":
                        for item in result:
                            ask("callHierarchy/incomingCalls", {"item": item})
                            ask("callHierarchy/outgoingCalls", {"item": item})
                    if method == "textDocument/completion":
                        for item in result["items"][:3]:
                            ask("completionItem/resolve", item)
        here = {"textDocument": {"uri": uri}, "range": whole, "positions": somewhere, "context": {"diagnostics": []}}
        for method in REQUESTS:
            if method.startswith("textDocument/") and "position" not in _fields(method):
                known = {"previousResultId": "none"} if method.endswith("delta") else {}
                result = ask(method, {**here, **known})
                if method == "textDocument/codeLens":
                    for lens in result:
                        if "data" in lens:
                            ask("codeLens/resolve", lens)
                if method == "textDocument/codeAction":
                    for action in result:
                        if "data" in action:
                            ask("codeAction/resolve", action)
        ask("workspace/symbol", {"query": "k"})
        ask("workspace/diagnostic", {"previousResultIds": []})
        assert client.exit() == 0
    silent = {method for method, answers in seen.items() if not answers}
    assert not silent, "these never gave a result"


def _fields(method: str) -> set[str]:
    params = lsp.METHOD_TO_TYPES[method][2]
    return {field.name for field in getattr(params, "__attrs_attrs__", ())}


def test_capabilities_are_sound_and_each_has_its_method() -> None:
    result = CONVERTER.structure(server_capabilities(Client()), lsp.InitializeResult)
    claimed = {
        "hover_provider": "textDocument/hover",
        "completion_provider": "textDocument/completion",
        "definition_provider": "textDocument/definition",
        "declaration_provider": "textDocument/declaration",
        "references_provider": "textDocument/references",
        "document_highlight_provider": "textDocument/documentHighlight",
        "document_link_provider": "textDocument/documentLink",
        "document_symbol_provider": "textDocument/documentSymbol",
        "workspace_symbol_provider": "workspace/symbol",
        "call_hierarchy_provider": "textDocument/prepareCallHierarchy",
        "folding_range_provider": "textDocument/foldingRange",
        "selection_range_provider": "textDocument/selectionRange",
        "semantic_tokens_provider": "textDocument/semanticTokens/full",
        "inlay_hint_provider": "textDocument/inlayHint",
        "code_lens_provider": "textDocument/codeLens",
        "code_action_provider": "textDocument/codeAction",
        "rename_provider": "textDocument/rename",
        "execute_command_provider": "workspace/executeCommand",
        "diagnostic_provider": "textDocument/diagnostic",
    }
    for name, method in claimed.items():
        assert (getattr(result.capabilities, name) is not None) == (method in METHODS), method
