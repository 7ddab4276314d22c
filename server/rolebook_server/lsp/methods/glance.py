"""What is seen without asking: colours, hints and lenses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from rolebook.text import Span
from rolebook_server.ide.inlay_hints import inlay_hints
from rolebook_server.ide.lenses import Lens, resolved
from rolebook_server.ide.lenses import lenses as lenses_of
from rolebook_server.ide.semantic_tokens import MODIFIERS, TYPES, Token, semantic_tokens
from rolebook_server.lsp.capabilities import TOKEN_MODIFIERS, TOKEN_TYPES
from rolebook_server.lsp.convert import Converter, markdown
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path

assert (TYPES, MODIFIERS) == (TOKEN_TYPES, TOKEN_MODIFIERS), "the legend that was announced is another one"


def tokens(server: Server, params: Params) -> dict[str, Any]:
    path, data = _tokens(server, params)
    return {"resultId": server.remember_tokens(path, _id(data), data), "data": data}


def tokens_delta(server: Server, params: Params) -> dict[str, Any]:
    """What has changed since the tokens with the id that the client knows; all where those aren't known here."""
    known = params.text("previousResultId")
    path, data = _tokens(server, params)
    before = server.remembered_tokens(path, known)
    id = server.remember_tokens(path, _id(data), data)
    if before is None:
        return {"resultId": id, "data": data}
    start = next((at for at, (old, new) in enumerate(zip(before, data, strict=False)) if old != new), None)
    if start is None:
        start = min(len(before), len(data))
    end = 0
    while end < min(len(before), len(data)) - start and before[-1 - end] == data[-1 - end]:
        end += 1
    if start == len(before) == len(data):
        return {"resultId": id, "edits": []}
    edit = {"start": start, "deleteCount": len(before) - start - end, "data": data[start : len(data) - end]}
    return {"resultId": id, "edits": [edit]}


def tokens_in_range(server: Server, params: Params) -> dict[str, Any]:
    (start, end), file = params.range(), server.file(params)
    if file is None:
        return {"data": []}
    first, last = file.convert.offset(start), file.convert.offset(end)
    found = semantic_tokens(file.snapshot, file.path)
    inside = [token for token in found if token.span.start < last and first < token.span.end]
    return {"data": _encoded(inside, file.convert)}


def hints(server: Server, params: Params) -> list[dict[str, Any]]:
    (start, end), file = params.range(), server.file(params)
    if file is None:
        return []
    within = Span(file.convert.offset(start), file.convert.offset(end))
    return [
        {
            "position": file.convert.position(hint.offset),
            "label": hint.label,
            "tooltip": markdown(hint.tooltip),
            "paddingLeft": hint.padding_left,
            "paddingRight": hint.padding_right,
        }
        for hint in inlay_hints(file.snapshot, file.path, within)
    ]


def lenses(server: Server, params: Params) -> list[dict[str, Any]]:
    file = server.file(params)
    if file is None:
        return []
    uri = server.workspace.documents.uri(file.path)
    return [_lens(lens, file.convert, uri) for lens in lenses_of(file.snapshot, file.path)]


def resolved_lens(server: Server, params: Params) -> dict[str, Any]:
    data = params.object("data")
    path, start, end = data.text("path"), data.integer("start"), data.integer("end")
    kind = data.text("kind")
    if kind not in ("tokens", "references"):
        return dict(params.value)
    lens = Lens(Span(start, end), "tokens" if kind == "tokens" else "references", path, data.text("agent"))
    paths = server.workspace.known_definitions()
    found = resolved(server.workspace.snapshot(path), lens, paths)
    command = "rolebook.showRequest" if kind == "tokens" else ""
    arguments = [server.workspace.documents.uri(path), lens.agent] if command else []
    return {**params.value, "command": {"title": found.title, "command": command, "arguments": arguments}}


def _lens(lens: Lens, convert: Converter, uri: str) -> dict[str, Any]:
    found: dict[str, Any] = {"range": convert.range(lens.span)}
    if lens.title:
        found["command"] = {"title": lens.title, "command": lens.command, "arguments": [uri, lens.agent]}
    else:
        span = lens.span
        found["data"] = {
            "path": lens.path, "agent": lens.agent, "kind": lens.kind, "start": span.start, "end": span.end
        }  # fmt: skip
    return found


def _tokens(server: Server, params: Params) -> tuple[str, list[int]]:
    file = server.file(params)
    if file is None:
        return to_path(params.uri), []
    return file.path, _encoded(semantic_tokens(file.snapshot, file.path), file.convert)


def _encoded(found: Iterable[Token], convert: Converter) -> list[int]:
    """Five numbers for each token, its place counted from the one before (LSP)."""
    data: list[int] = []
    line = character = 0
    for token in found:
        start, end = convert.position(token.span.start), convert.position(token.span.end)
        below = start["line"] - line
        modifiers = sum(1 << MODIFIERS.index(name) for name in token.modifiers)
        data += [
            below,
            start["character"] - (0 if below else character),
            end["character"] - start["character"],
            TYPES.index(token.type),
            modifiers,
        ]
        line, character = start["line"], start["character"]
    return data


def _id(data: list[int]) -> str:
    return hashlib.blake2b(repr(data).encode(), digest_size=12).hexdigest()
