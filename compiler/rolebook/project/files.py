"""Where texts come from: disk, memory, an editor's open documents. The compiler reads through `Files` only."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Protocol, TypeAlias

from rolebook.record import Record


class Unreadable(Record):
    """A file that is there but can't be read as text; `reason` is a sentence for its user."""

    reason: str


Content: TypeAlias = str | Unreadable | None
"""The text of a file, why it can't be had, or None where there is no such file."""


LARGEST = 16 << 20
"""Bytes of a file that is read; no definition and no source that matters comes near."""


class Files(Protocol):
    """Paths are absolute, normalised and in the platform's own form."""

    def read(self, path: str) -> Content: ...

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of the plain files in a folder, sorted; none where it can't be listed."""
        ...


class DiskFiles:
    """The file system as it is now."""

    def read(self, path: str) -> Content:
        try:
            found = os.stat(path)
            if os.path.basename(path).split(".")[:2] == ["", "env"]:
                return Unreadable("it is for secrets, which no message may quote")
            if not stat.S_ISREG(found.st_mode):
                return Unreadable("this is a folder" if stat.S_ISDIR(found.st_mode) else "this is no plain file")
            if found.st_size > LARGEST:
                return Unreadable(f"it is larger than {LARGEST >> 20} MiB")
            with open(path, "rb") as file:
                return decode(file.read())
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError as error:
            return Unreadable(error.strerror or "it can't be opened")

    def names(self, folder: str) -> tuple[str, ...]:
        try:
            with os.scandir(folder) as listing:
                return tuple(sorted(entry.name for entry in listing if entry.is_file()))
        except (OSError, ValueError):
            return ()


class MemoryFiles(Record):
    """Texts by path, over other files where there are any: open documents, tests, `-` on the command line."""

    texts: Mapping[str, str]
    below: Files | None = None

    def read(self, path: str) -> Content:
        if path in self.texts:
            return self.texts[path]
        return self.below.read(path) if self.below is not None else None

    def names(self, folder: str) -> tuple[str, ...]:
        own = {os.path.basename(path) for path in self.texts if os.path.dirname(path) == folder}
        return tuple(sorted(own.union(self.below.names(folder) if self.below is not None else ())))


def decode(data: bytes) -> str | Unreadable:
    """Text from bytes as PyYAML decodes them: UTF-16 with a byte order mark, else UTF-8."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Unreadable(f"line {line} holds bytes that are no {encoding.upper()} text")
