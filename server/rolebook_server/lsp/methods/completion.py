"""`textDocument/completion`."""

from __future__ import annotations

from typing import Any

from rolebook_server.ide.completion import completion as complete
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server


def completion(server: Server, params: Params) -> list[dict[str, Any]]:
    place = server.place(params)
    if place is None:
        return []
    return [place.convert.completion(item) for item in complete(place.snapshot, place.path, place.offset)]
