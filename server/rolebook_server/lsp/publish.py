"""When problems are worked out, and what of them the client is sent.

A client that pulls isn't pushed anything (LSP), but told when it had better pull again. Others are pushed the problems
of the open documents: at once those that are quick to find, and after a quiet moment all, those of the other files of
the workspace too. What a client has been sent isn't sent again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rolebook.problem import Problem
from rolebook.rules import check_file
from rolebook_server.lsp.convert import diagnostics
from rolebook_server.lsp.loop import Timer

if TYPE_CHECKING:
    from rolebook_server.lsp.server import Server

QUIET = 0.25
"""Seconds without an edit after which all problems are worked out."""

_CHEAP = 0.004
"""Seconds. A file that took less to check in full is always checked in full, so that nothing flickers."""


class Publisher:
    """Works out problems and sends them. `generation` counts the changes that may have made others."""

    def __init__(self, server: Server) -> None:
        self.generation = 0
        self._server = server
        self._edited: dict[str, None] = {}
        self._costs: dict[str, float] = {}
        self._told: dict[str, tuple[int | None, tuple[Problem, ...]]] = {}
        self._quiet: Timer | None = None
        self._posted = False

    def touched(self, paths: Iterable[str]) -> None:
        """The text of these files is another one, or they are open only now."""
        self.generation += 1
        self._edited |= dict.fromkeys(paths)
        if not self._posted:
            self._posted = True
            self._server.loop.post(self._first_phase)

    def closed(self, path: str, uri: str) -> None:
        """A document was closed. What was said of it, under its own URI, is taken back; if its file is a definition on
        disk, that is told anew."""
        if self._told.pop(path, (None, ()))[1]:
            self._server.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})
        self.touched(())

    def problems(self, path: str) -> tuple[Problem, ...]:
        """All problems of the file at `path`; none where it is no definition. Asks again only what changed."""
        workspace = self._server.workspace
        if not workspace.concerns(path):
            return ()
        remembered = workspace.remembered.problems(path)
        if remembered is not None:
            return remembered
        started = time.perf_counter()
        found = workspace.recheck.problems(workspace.snapshot(path), path)
        self._costs[path] = time.perf_counter() - started
        return found

    def _first_phase(self) -> None:
        """After all messages that had come by now: what is quick, of the documents that were edited."""
        self._posted = False
        edited, self._edited = self._edited, {}
        if not self._server.client.pulls:
            for path in edited:
                if path in self._server.workspace.documents:
                    self._send(path, self._quick(path))
        if self._quiet is not None:
            self._quiet.cancel()
        self._quiet = self._server.loop.later(QUIET, self._second_phase)

    def _quick(self, path: str) -> tuple[Problem, ...]:
        if self._costs.get(path, 0.0) < _CHEAP:
            return self.problems(path)
        workspace = self._server.workspace
        return check_file(workspace.snapshot(path), path, "quick") if workspace.concerns(path) else ()

    def _second_phase(self) -> None:
        if self._server.client.pulls:
            if self._server.client.refreshes_diagnostics and self._server.stale:
                self._server.stale = False
                self._server.ask("workspace/diagnostic/refresh", None)
        else:
            self._server.loop.background(self._all(self.generation))

    def _all(self, generation: int) -> Iterator[None]:
        """Everything of all documents, then of all other definitions, until the next change."""
        workspace = self._server.workspace
        definitions = workspace.known_definitions()
        paths = dict.fromkeys([*(document.path for document in workspace.documents), *definitions])
        for path in paths:
            if generation != self.generation:
                return
            self._send(path, self.problems(path))
            yield
        for path in [path for path in self._told if path not in paths]:
            self._send(path, ())
            del self._told[path]
        yield from workspace.remembered.store(definitions)

    def _send(self, path: str, problems: tuple[Problem, ...]) -> None:
        """Tells the client, unless it was told exactly this of this version."""
        server = self._server
        document = server.workspace.documents.get(path)
        told = (document.version if document is not None else None, problems)
        if self._told.get(path, (None, ())) == told:
            return
        self._told[path] = told
        params: dict[str, Any] = {
            "uri": server.workspace.documents.uri(path),
            "diagnostics": diagnostics(server.workspace, server.client, path, problems),
        }
        if document is not None and document.version is not None:
            params["version"] = document.version
        server.notify("textDocument/publishDiagnostics", params)
