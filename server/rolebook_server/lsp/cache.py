"""One JSON value for each workspace in the platform's cache folder, safe to share and safe to lose.

A file is written beside its place and moved there, so that a reader sees the old one or the new one and nobody waits
for a lock. It begins with a checksum: what is broken, or another version's, counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

SWITCH = "ROLEBOOK_CACHE"
"""The environment variable that names another folder, or says `off`."""

_LARGEST = 64 << 20
"""Bytes of one file."""

_MOST_FILES = 20
"""Workspaces that are remembered; of more, those go that weren't written for longest."""


def load(folders: Iterable[str]) -> Any:
    """What was stored for the workspace of these folders by this very version of Rolebook; None for nothing."""
    path = _path(folders)
    try:
        if path is None or os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            checksum, _, body = file.read().partition(b"\n")
        return json.loads(body) if checksum == _checksum(body) else None
    except (OSError, ValueError, RecursionError):
        return None


def store(folders: Iterable[str], value: Any) -> None:
    """Stores a JSON value for the workspace of these folders, if it isn't too large and the folder can be written."""
    path = _path(folders)
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    if path is None or len(body) >= _LARGEST - 100:
        return
    folder = os.path.dirname(path)
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(dir=folder, prefix="new-")  # for its user alone: it quotes texts
        try:
            with open(descriptor, "wb") as file:
                file.write(_checksum(body) + b"\n" + body)
            os.replace(beside, path)
        except OSError:
            os.unlink(beside)
            raise
        _prune(folder)


def _path(folders: Iterable[str]) -> str | None:
    where = os.environ.get(SWITCH, "")
    if where == "off":
        return None
    if not where:
        from platformdirs import user_cache_dir

        where = user_cache_dir("rolebook", appauthor=False)
    name = hashlib.blake2b("\0".join(sorted(folders)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return os.path.join(where, "problems", f"{name}.json")


def _checksum(body: bytes) -> bytes:
    """Of the content and of the program that made it."""
    return hashlib.blake2b(body, digest_size=16, key=_program()).hexdigest().encode()


def _program() -> bytes:
    """A digest of what can make other problems of the same text: Rolebook's files and the parsers, by size and time."""
    import tree_sitter
    import tree_sitter_yaml
    import yaml

    import rolebook

    digest = hashlib.blake2b(sys.version.encode(), digest_size=32)
    for module in (rolebook, tree_sitter, tree_sitter_yaml, yaml):
        for folder, folders, names in os.walk(os.path.dirname(module.__file__ or "")):
            folders[:] = sorted(set(folders) - {"__pycache__"})
            for name in sorted(names):
                found = os.stat(os.path.join(folder, name))
                digest.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
    return digest.digest()


def _prune(folder: str) -> None:
    """Removes the oldest files, and what a server that was killed has left half written."""
    files = sorted((os.path.join(folder, name) for name in os.listdir(folder)), key=os.path.getmtime, reverse=True)
    for path in files[_MOST_FILES:]:
        os.unlink(path)
