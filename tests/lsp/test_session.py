"""The real server over stdio: open, see the problems, mend them, hover."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient

BROKEN = """\
name: support
modl: gemini-2.5-flash
instruction: |
  You are helping 🙂 {usr_name}.
state:
  user_name: Alice
"""
MENDED = BROKEN.replace("modl", "model").replace("usr_name", "user_name")


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-m", "rolebook_cli", "lsp"]))
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "root_agent.yaml").as_uri()


async def diagnostics(client: LanguageClient, uri: str, version: int) -> list[lsp.Diagnostic]:
    """What the server says first of this version of the document."""
    while True:
        params = await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        if (params.uri, params.version) == (uri, version):
            return list(params.diagnostics)


def open_document(client: LanguageClient, uri: str, text: str) -> None:
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "yaml", 1, text)))


@pytest.mark.asyncio
async def test_problems_appear_and_go(client: LanguageClient, uri: str) -> None:
    open_document(client, uri, BROKEN)
    found = await diagnostics(client, uri, 1)
    assert [(item.code, item.range.start.line, item.range.start.character) for item in found if item.severity < 4] == [
        ("unknown-key", 1, 0),
        ("unresolved-placeholder", 3, 22),  # the emoji counts twice in UTF-16
    ]
    document = lsp.VersionedTextDocumentIdentifier(uri=uri, version=2)
    edits = [((1, 0), (1, 4), "model"), ((3, 22), (3, 30), "user_name")]
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            document,
            [
                lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(*start), lsp.Position(*end)), text)
                for start, end, text in edits
            ],
        )
    )
    assert await diagnostics(client, uri, 2) == []


@pytest.mark.asyncio
async def test_hover_on_a_name_shows_both_halves(client: LanguageClient, uri: str) -> None:
    open_document(client, uri, MENDED)
    result = await client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(0, 8))
    )
    assert result is not None and isinstance(result.contents, lsp.MarkupContent)
    text = result.contents.value
    assert "**Static**" in text and "You are support." in text
    assert "**Dynamic**" in text and "You are helping 🙂 Alice." in text
    assert text.count(" tokens (") == 2
    assert result.range == lsp.Range(lsp.Position(0, 6), lsp.Position(0, 13))


@pytest.mark.asyncio
async def test_a_file_that_is_no_definition_is_left_alone(client: LanguageClient, tmp_path: Path) -> None:
    other = (tmp_path / "docker-compose.yaml").as_uri()
    open_document(client, other, "services: {web: {image: x}}\n")
    assert await diagnostics(client, other, 1) == []


@pytest.mark.asyncio
async def test_lines_end_where_the_protocol_says(client: LanguageClient, uri: str) -> None:
    open_document(client, uri, "name: a  # x\u2028y\nfoo: 1\n")
    await diagnostics(client, uri, 1)
    change = lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(1, 0), lsp.Position(1, 3)), "bar")
    document = lsp.VersionedTextDocumentIdentifier(uri=uri, version=2)
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
    (found,) = await diagnostics(client, uri, 2)
    assert found.message == "`bar` is no key of an LlmAgent"
