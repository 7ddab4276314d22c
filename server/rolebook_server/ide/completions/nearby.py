"""The files around a definition that it may name: other definitions, and modules with Python functions.

Folders are listed to a small depth and up to a number, since completion can't wait for a large workspace. Open
documents count as well, whether they were saved or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from rolebook.project.discover import is_definition_name
from rolebook.project.files import MemoryFiles
from rolebook.project.python import search_folders
from rolebook.project.snapshot import Snapshot
from rolebook.rules.not_a_definition import what_else

_DEEPEST, _MOST_FOLDERS, _MOST_DEFINITIONS, _MOST_MODULES = 4, 150, 400, 60
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "tests"})
_DEFINITIONS = (".yaml", ".yml", ".agent.md")
_NO_MODULES = frozenset({"conftest.py", "setup.py"})


def definitions_near(snapshot: Snapshot, path: str) -> Iterator[str]:
    """The files that `config_path` may name in the definition at `path`, relative to it, the nearest first.

    Left out are the file itself and those that it is a part of, which would be a cycle.
    """
    folder = os.path.dirname(path)
    above = _above(snapshot, path)
    found = 0
    for other in _files(snapshot, folder, _DEFINITIONS):
        if other not in above and _is_one(snapshot, other):
            yield os.path.relpath(other, folder).replace(os.sep, "/")
            found += 1
            if found == _MOST_DEFINITIONS:
                return


def modules_near(snapshot: Snapshot, path: str) -> Iterator[tuple[str, ...]]:
    """The Python modules that dotted names in the definition at `path` may name, each by all its names.

    The name as seen from above the definition's folder comes first: google-adk loads agents from there.
    """
    folders = search_folders(path, snapshot.root)
    ordered = folders if folders[0] == snapshot.root else (*folders[1:2], folders[0], *folders[2:])
    seen: set[str] = set()
    for folder in (folder for folder in folders if _inside(snapshot.root, folder)):  # none of the disk around it
        for file in _files(snapshot, folder, (".py",)):
            if file in seen or os.path.basename(file) in _NO_MODULES:
                continue
            seen.add(file)
            names = tuple(name for root in ordered if (name := _module_name(root, file)) is not None)
            if names:
                yield tuple(dict.fromkeys(names))
            if len(seen) == _MOST_MODULES:
                return


def _above(snapshot: Snapshot, path: str) -> set[str]:
    found, pending = {path}, [path]
    while pending:
        new = [other for other in snapshot.referrers(pending.pop()) if other not in found]
        found.update(new)
        pending += new
    return found


def _is_one(snapshot: Snapshot, path: str) -> bool:
    """Whether the file is a definition, or holds what one could."""
    source = snapshot.source(path)
    return source is not None and (is_definition_name(os.path.basename(path)) or what_else(source) is None)


def _module_name(root: str, file: str) -> str | None:
    """The dotted name of a module as seen from a folder."""
    if not _inside(root, file):
        return None
    parts = os.path.relpath(file, root).removesuffix(".py").split(os.sep)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def _inside(root: str, folder: str) -> bool:
    return bool(folder) and (folder == root or folder.startswith(root.rstrip(os.sep) + os.sep))


def _files(snapshot: Snapshot, folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The files below a folder that end so, folder by folder, the shallow ones first."""
    opened = snapshot.files.texts if isinstance(snapshot.files, MemoryFiles) else {}
    inside = folder.rstrip(os.sep) + os.sep
    known = {os.path.dirname(path) for path in opened if path.startswith(inside)} if folder else set()
    pending = [(folder, 0)] + [(other, 1) for other in sorted(known) if other != folder]
    listed: set[str] = set()
    while pending and len(listed) < _MOST_FOLDERS:
        at, depth = pending.pop(0)
        if at in listed:
            continue
        listed.add(at)
        yield from (os.path.join(at, name) for name in snapshot.names(at) if name.endswith(endings))
        if depth < _DEEPEST:
            pending += [(other, depth + 1) for other in _folders(at)]


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as listing:
            names = [entry.name for entry in listing if entry.is_dir(follow_symlinks=False)]
    except (OSError, ValueError):
        return []
    kept = (name for name in names if not name.startswith(".") and name not in _PASSED_OVER)
    return [os.path.join(folder, name) for name in sorted(kept)[:_MOST_FOLDERS]]
