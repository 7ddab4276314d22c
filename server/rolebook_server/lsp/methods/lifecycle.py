"""What begins a session, and messages that ask for nothing."""

from __future__ import annotations

from rolebook_server.lsp.capabilities import WATCHED
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.server import Server


def initialized(server: Server, _: Params) -> None:
    """The client is ready: it is asked to tell of changes on disk, and the workspace is looked through."""
    if server.client.watches:
        watchers = [{"globPattern": pattern} for pattern in WATCHED]
        registration = {
            "id": "rolebook/watch",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {"watchers": watchers},
        }
        server.ask("client/registerCapability", {"registrations": [registration]})
    server.loop.background(server.index())


def nothing(_: Server, __: Params) -> None:
    return None
