"""`textDocument/hover`."""

from __future__ import annotations

from typing import Any

from rolebook_server.ide.hover import hover as hover_at
from rolebook_server.lsp.convert import markdown
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server


def hover(server: Server, params: Params) -> dict[str, Any] | None:
    place = server.place(params)
    found = hover_at(place.snapshot, place.path, place.offset) if place is not None else None
    if place is None or found is None:
        return None
    return {"contents": markdown(found.markdown), "range": place.convert.range(found.span)}
