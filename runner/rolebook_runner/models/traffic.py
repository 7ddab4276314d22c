"""What goes over a run's connections. Here the last request is remembered; others record it all, or answer from a file.

Nothing is loaded for a run that asks no provider.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it went out: the path behind the server's address, and the bytes of its body."""

    method: str
    path: str
    body: bytes


class Traffic:
    """Watches all connections of a run. `last` is the last request for an answer, None before the first one."""

    replays = False
    """Whether answers come from elsewhere, so that neither a key nor a wait is needed."""

    def __init__(self) -> None:
        self.last: Sent | None = None

    def options(self, base_url: str) -> dict[str, Any]:
        """What the client of one server is made with, besides what it has anyway (`httpx.AsyncClient`)."""

        async def sent(request: httpx.Request) -> None:
            self.note(base_url, request)

        return {"event_hooks": {"request": [sent]}}

    def note(self, base_url: str, request: httpx.Request) -> None:
        if request.headers.get("accept") == "text/event-stream":
            self.last = Sent(request.method, path_of(base_url, request), request.content)

    def close(self) -> None:
        """To be called when the run's connections are closed."""


def path_of(base_url: str, request: httpx.Request) -> str:
    """The path behind the server's address, which may hold a secret itself."""
    return str(request.url).removeprefix(base_url.rstrip("/")).lstrip("/")
