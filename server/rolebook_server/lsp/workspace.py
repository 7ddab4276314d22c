"""The workspace as the server sees it: open documents laid over the disk, in a snapshot for each root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from rolebook.project.config import CONFIG_NAMES
from rolebook.project.discover import definitions_below, is_definition, marked_root, reachable
from rolebook.project.snapshot import Snapshot
from rolebook.rules.recheck import Recheck
from rolebook.text import Text
from rolebook_server.lsp.disk import Disk
from rolebook_server.lsp.documents import Documents
from rolebook_server.lsp.remembered import Remembered
from rolebook_server.lsp.uris import to_path

_CHUNK = 50
"""Files that are looked at before other work gets its turn."""


class Workspace:
    """Snapshots by root. A root is the nearest folder at or above a file that has a marker, else the client's folder
    that the file lies in, else the file's own folder; a document without a path has a root of its own, `""`."""

    def __init__(self) -> None:
        self.documents = Documents()
        self.folders: tuple[str, ...] = ()
        self.definitions: dict[str, None] | None = None
        """The definitions in the client's folders, once they have been looked for."""
        self.recheck = Recheck()
        self.remembered = Remembered(self)
        self._disk = Disk()
        self._roots: dict[str, str] = {}
        self._snapshots: dict[str, Snapshot] = {}

    def set_folders(self, uris: Iterable[str]) -> None:
        self.folders = tuple(dict.fromkeys(to_path(uri) for uri in uris if to_path(uri) != uri))
        self._roots.clear()
        self.definitions = None

    def root_of(self, path: str) -> str:
        if not os.path.isabs(path):
            return ""
        folder = os.path.dirname(path)
        if folder not in self._roots:
            clients = next((each for each in self.folders if _is_below(path, each)), folder)
            self._roots[folder] = marked_root(path) or clients
        return self._roots[folder]

    def snapshot(self, path: str) -> Snapshot:
        """The snapshot that the file at `path` belongs to."""
        root = self.root_of(path)
        if root not in self._snapshots:
            open_here = {d.path: d.text.source for d in self.documents if _is_below(d.path, root)}
            self._snapshots[root] = Snapshot(self._disk, root).with_texts(open_here)
        return self._snapshots[root]

    def text(self, path: str) -> Text:
        """The text of a file as the client sees it: a definition's, or that of any other; empty for none."""
        document = self.documents.get(path)
        if document is not None:
            return document.text
        content = self.snapshot(path).read(path)
        return Text(content) if isinstance(content, str) else Text("")

    def changed(self, path: str) -> None:
        """An open document has a new text."""
        document = self.documents.get(path)
        if document is not None:
            self._renew({path: document.text.source}, frozenset())
        self.remembered.changed((path,))
        self._note(path)

    def closed(self, path: str) -> None:
        self._renew({}, frozenset({path}))
        self.remembered.changed((path,))
        self._note(path)

    def reread(self, paths: Iterable[str]) -> None:
        """Drops what was read from these files, or from those below a folder; open documents stay as they are."""
        gone = frozenset(path for path in paths if path not in self.documents)
        if not gone:
            return
        if any(os.path.basename(path) in (*CONFIG_NAMES, ".git") for path in gone):
            self._roots.clear()
            self._snapshots.clear()
        self._renew({}, gone)
        self.remembered.changed(gone)
        for path in gone:
            self._note(path)

    def read_so_far(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All files that anything known of the workspace was made from, and all folders that were listed for it."""
        files, folders = self._disk.read_so_far
        return tuple(dict.fromkeys([*files, *(document.path for document in self.documents)])), folders

    def changed_on_disk(self) -> frozenset[str]:
        return self._disk.changed()

    def is_definition(self, path: str) -> bool:
        return is_definition(self.snapshot(path), path)

    def concerns(self, path: str) -> bool:
        """Whether the file is ours to speak about: a definition, or an open file of settings."""
        is_config = os.path.basename(path) in CONFIG_NAMES and path in self.documents
        return is_config or self.is_definition(path)

    def find_definitions(self) -> Iterator[None]:
        """Looks for the definitions in the client's folders, a few files at a time."""
        found: dict[str, None] = {}
        count = 0
        for folder in self.folders:
            for path in definitions_below(self.snapshot(os.path.join(folder, "any")), folder):
                found[path] = None
                count += 1
                if count % _CHUNK == 0:
                    yield
        yield from self.remembered.load()
        for path in found:  # what `known_definitions` reads, it would read in one step
            self.snapshot(path).targets(path)
            yield
        self.definitions = found

    def known_definitions(self) -> list[str]:
        """The definitions that are known so far, and those that they name. All of the folders, once looked for."""
        known = dict.fromkeys(self.definitions or ())
        known |= dict.fromkeys(document.path for document in self.documents if self.is_definition(document.path))
        by_root: dict[str, list[str]] = {}
        for path in known:
            by_root.setdefault(self.root_of(path), []).append(path)
        return [path for paths in by_root.values() for path in reachable(self.snapshot(paths[0]), paths)]

    def _note(self, path: str) -> None:
        """Keeps the list of definitions true after a change to one file."""
        if self.definitions is None:
            return
        if self.is_definition(path) and self.snapshot(path).exists(path) is not None:
            self.definitions[path] = None
        else:
            self.definitions.pop(path, None)
            self.recheck.forget(path)

    def _renew(self, texts: dict[str, str], gone: frozenset[str]) -> None:
        touched = gone.union(texts)
        for root, old in list(self._snapshots.items()):
            if any(_is_below(path, root) for path in touched):
                self._snapshots[root] = old.with_texts(texts, gone)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) if folder else not os.path.isabs(path)
