"""What a session knows: the client, the workspace, and what was asked of the client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from rolebook_server.lsp.capabilities import server_capabilities
from rolebook_server.lsp.client import Client, read_client
from rolebook_server.lsp.loop import Loop
from rolebook_server.lsp.params import Params

if TYPE_CHECKING:
    from rolebook.project.snapshot import Snapshot
    from rolebook.project.source import Source
    from rolebook.text import Span
    from rolebook_server.lsp.convert import Converter
    from rolebook_server.lsp.publish import Publisher
    from rolebook_server.lsp.runs import Run
    from rolebook_server.lsp.workspace import Workspace

logger = logging.getLogger("rolebook.lsp")

Answer = Callable[[Any], None]


class Place(NamedTuple):
    """Where a request points to, in a definition."""

    snapshot: Snapshot
    path: str
    offset: int
    convert: Converter


class File(NamedTuple):
    """A file that a request is about."""

    snapshot: Snapshot
    path: str
    convert: Converter


class Server:
    """The state behind the methods. Nothing in here is touched by another thread than the loop's.

    Nothing of the compiler is loaded before the answer to `initialize` is written.
    """

    def __init__(self, loop: Loop, send: Callable[[dict[str, Any]], None]) -> None:
        self.loop = loop
        self.client = Client()
        self.faults = 0
        """How often something failed that can't; tests hold it at 0."""
        self.stale = False
        """Whether files that the client doesn't know of have changed since it pulled."""
        self._send = send
        self._asked: dict[str, Answer] = {}
        self._number = 0
        self._folders: list[str] = []
        self._tokens: dict[str, tuple[str, list[int]]] = {}
        self._shown: str | None = None
        self.trusted = True
        """Whether the user trusts the workspace, so that its code may be run. Nothing else ever runs it."""
        self.runs: dict[str, Run] = {}

    def initialize(self, params: Params) -> dict[str, Any]:
        """The answer to `initialize`. All that takes time comes after it."""
        self.client = read_client(params.value)
        self._folders = list(_folders(params))
        options = params.value.get("initializationOptions")
        self.trusted = not (isinstance(options, dict) and options.get("trusted") is False)
        self.loop.post(self._warm)
        return server_capabilities(self.client)

    def _warm(self) -> None:
        """Loads what the first document needs while the client is still busy with our answer."""
        self.workspace, self.publisher  # noqa: B018

    def shutdown(self) -> None:
        """Ends what still runs, and takes away the documents that were made to be shown."""
        for run in self.runs.values():
            run.kill()
        if self._shown is not None:
            import shutil

            shutil.rmtree(self._shown, ignore_errors=True)
            self._shown = None

    def show(self, name: str, text: str) -> None:
        """Has a client without our extension show a text, which is written where only the user reads it."""
        if self.client.extension or not self.client.shows_documents:
            return
        import os
        import tempfile

        from rolebook_server.lsp.uris import to_uri

        if self._shown is None:
            self._shown = tempfile.mkdtemp(prefix="rolebook-")
        path = os.path.join(self._shown, name.replace("/", "_").replace("\\", "_"))
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        self.ask("window/showDocument", {"uri": to_uri(path), "external": False, "takeFocus": True})

    @cached_property
    def workspace(self) -> Workspace:
        from rolebook_server.lsp.workspace import Workspace

        workspace = Workspace()
        workspace.set_folders(self._folders)
        return workspace

    @cached_property
    def publisher(self) -> Publisher:
        from rolebook_server.lsp.publish import Publisher

        return Publisher(self)

    def index(self) -> Iterator[float | None]:
        """Finds the definitions of the workspace, and then their problems."""
        yield from self.workspace.find_definitions()
        self.publisher.touched(())

    def reread(self, paths: Iterable[str]) -> None:
        """Files have changed on disk."""
        changed = [path for path in paths if path not in self.workspace.documents]
        if changed:
            self.workspace.reread(changed)
            self.stale = True
            self.publisher.touched(())

    def look_at_disk(self) -> None:
        """For a client that doesn't watch files: finds out itself what has changed."""
        if not self.client.watches:
            self.reread(self.workspace.changed_on_disk())

    def definition(self, path: str) -> Source | None:
        """The definition at `path`, None for any other file."""
        return self.workspace.snapshot(path).source(path) if self.workspace.is_definition(path) else None

    def convert(self, path: str) -> Converter:
        from rolebook_server.lsp.convert import Converter

        return Converter(self.workspace.text(path), self.client.encoding)

    def file(self, params: Params) -> File | None:
        """The definition of `textDocument`; None for any other file."""
        from rolebook_server.lsp.uris import to_path

        path = to_path(params.uri)
        if self.definition(path) is None:
            return None
        return File(self.workspace.snapshot(path), path, self.convert(path))

    def place(self, params: Params) -> Place | None:
        """The place of `textDocument` and `position`, in a definition or an open file of settings."""
        from rolebook_server.lsp.uris import to_path

        path, position = to_path(params.uri), params.position()
        if not self.workspace.concerns(path) or self.workspace.snapshot(path).source(path) is None:
            return None
        convert = self.convert(path)
        return Place(self.workspace.snapshot(path), path, convert.offset(position), convert)

    def location(self, path: str, span: Span) -> dict[str, Any]:
        """A span of any file, as the client would open it."""
        return {"uri": self.workspace.documents.uri(path), "range": self.convert(path).range(span)}

    def forget(self, path: str) -> None:
        """A document was closed."""
        self._tokens.pop(path, None)

    def remember_tokens(self, path: str, id: str, data: list[int]) -> str:
        """Keeps the semantic tokens that the client was told of last, and gives back their id."""
        if path in self.workspace.documents:
            self._tokens[path] = (id, data)
        return id

    def remembered_tokens(self, path: str, id: str) -> list[int] | None:
        known = self._tokens.get(path)
        return known[1] if known is not None and known[0] == id else None

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any, answer: Answer | None = None) -> None:
        """Sends a request; `answer` gets its result, and isn't called where the client refuses."""
        self._number += 1
        id = f"rolebook/{self._number}"
        self._asked[id] = answer or (lambda _: None)
        self._send({"id": id, "method": method, "params": params})

    def answered(self, id: Any, result: Any, error: Any) -> None:
        """The client has answered a request of ours, or something that we never asked."""
        answer = self._asked.pop(id, None) if isinstance(id, str) else None
        if answer is None:
            return
        if error is not None:
            logger.info("the client refused %s: %s", id, error)
            return
        try:
            answer(result)
        except Exception:
            logger.exception("the answer to %s can't be used", id)
            self.faults += 1


def _folders(params: Params) -> Iterator[str]:
    """The URIs of the client's folders; what isn't sound is passed over."""
    given = params.value.get("workspaceFolders")
    if isinstance(given, list):
        for folder in given:
            if isinstance(folder, dict) and isinstance(folder.get("uri"), str):
                yield folder["uri"]
    elif isinstance(root := params.value.get("rootUri"), str) or isinstance(root := params.value.get("rootPath"), str):
        yield root
