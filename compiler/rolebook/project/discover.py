"""Which files are definitions (spec §1), and which folder they belong to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rolebook.project.ignored import Ignored
from rolebook.project.snapshot import Snapshot
from rolebook.syntax.markdown import yaml_part

_DEFINITION = re.compile(r".*\.agent\.ya?ml|root_agent\.ya?ml")
_YAML = (".yaml", ".yml")
_ROOT_MARKERS = ("rolebook.toml", "pyproject.toml", ".git")
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_AGENT_CLASS = re.compile(r"^agent_class[ \t]*:", re.MULTILINE)


def is_definition_name(name: str) -> bool:
    """Whether a file of this name is a definition whatever it holds."""
    return _DEFINITION.fullmatch(name) is not None


def is_definition(snapshot: Snapshot, path: str) -> bool:
    """Whether the file at `path` is a definition: by its name, by its content, or because another one names it."""
    if is_definition_name(os.path.basename(path)):
        return True
    return _says_so(snapshot, path) or (path.endswith((*_YAML, ".agent.md")) and snapshot.referrers(path) != ())


def _says_so(snapshot: Snapshot, path: str) -> bool:
    """Whether a file's content makes it a definition: it has a top-level `agent_class`."""
    could_be = path.endswith((*_YAML, ".agent.md")) or not os.path.isabs(path)  # an editor's buffer without a file
    text = snapshot.read(path) if could_be else None
    if not isinstance(text, str):
        return False
    return _AGENT_CLASS.search(yaml_part(text) if path.endswith(".md") else text) is not None


def workspace_root(path: str) -> str:
    """The folder that a definition's references and names are looked up in: the nearest one at or above that holds
    `rolebook.toml`, `pyproject.toml` or `.git`, else the definition's own."""
    return marked_root(path) or _own_folder(path)


def marked_root(path: str) -> str | None:
    """As `workspace_root`; None where no folder has a marker."""
    folder = _own_folder(path)
    while True:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in _ROOT_MARKERS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _own_folder(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path)


def definitions_below(snapshot: Snapshot, folder: str) -> Iterator[str]:
    """The definitions below a folder by name or content, sorted by folder.

    Hidden folders, those of tools, and what git ignores are passed over; links to folders aren't followed, so a loop of
    them ends. A file that can't be read is given as well, so that somebody says so.
    """
    ignored = Ignored(folder)
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _PASSED_OVER and not ignored.folder(os.path.join(at, name))
        )
        for name in sorted(names):
            path = os.path.join(at, name)
            candidate = is_definition_name(name) or (name.endswith((*_YAML, ".agent.md")) and _says_so(snapshot, path))
            if candidate and not ignored.file(path):
                yield path


def reachable(snapshot: Snapshot, paths: list[str]) -> list[str]:
    """These files and all definitions that they name, in the order in which they are met, each once."""
    found: dict[str, None] = {}
    pending = list(reversed(paths))
    while pending:
        path = pending.pop()
        if path in found or snapshot.exists(path) is None:
            continue
        found[path] = None
        pending += reversed(snapshot.targets(path))
    return list(found)
