"""The disk as it was read, so that a client that doesn't watch files can be told what has changed there since."""

from __future__ import annotations

import os

from rolebook.project.files import Content, DiskFiles

_Mark = tuple[int, int] | None
"""When a file was changed last, in nanoseconds, and its size in bytes; None where there is none."""


class Disk:
    """`Files` that remember the state of what they read."""

    def __init__(self) -> None:
        self._files = DiskFiles()
        self._marks: dict[str, _Mark] = {}
        self._folders: dict[str, _Mark] = {}

    def read(self, path: str) -> Content:
        self._marks[path] = _mark(path)
        return self._files.read(path)

    def names(self, folder: str) -> tuple[str, ...]:
        self._folders[folder] = _mark(folder)
        return self._files.names(folder)

    @property
    def read_so_far(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files that were asked for, those missing included, and the folders that were listed."""
        return tuple(self._marks), tuple(self._folders)

    def changed(self) -> frozenset[str]:
        """The files that aren't any more as they were read, those missing then included. A folder in which something
        came or went counts as a file in it."""
        files = {path for path, mark in self._marks.items() if _mark(path) != mark}
        folders = {folder for folder, mark in self._folders.items() if _mark(folder) != mark}
        return frozenset(files | {os.path.join(folder, "*") for folder in folders})


def _mark(path: str) -> _Mark:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size
