"""Which files are definitions (spec §1), and which folder they belong to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rolebook.project.snapshot import Snapshot, resolve
from rolebook.syntax.markdown import yaml_part

_DEFINITION = re.compile(r".*\.agent\.ya?ml|root_agent\.ya?ml")
_YAML = (".yaml", ".yml")
_ROOT_MARKERS = ("rolebook.toml", "pyproject.toml", ".git")
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_AGENT_CLASS = re.compile(r"^agent_class[ \t]*:", re.MULTILINE)


def is_definition_name(name: str) -> bool:
    """Whether a file of this name is a definition whatever it holds."""
    return _DEFINITION.fullmatch(name) is not None


def looks_like_definition(text: str) -> bool:
    """Whether a YAML text says by its content that it is a definition: it has a top-level `agent_class`."""
    return _AGENT_CLASS.search(text) is not None


def workspace_root(path: str) -> str:
    """The folder that a definition's references and names are looked up in: the nearest one at or above that holds
    `rolebook.toml`, `pyproject.toml` or `.git`, else the definition's own."""
    own = folder = path if os.path.isdir(path) else os.path.dirname(path)
    while True:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in _ROOT_MARKERS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return own
        folder = above


def definitions_below(snapshot: Snapshot, folder: str) -> Iterator[str]:
    """The definitions below a folder by name or content, sorted; hidden and tools' folders are passed over."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED_OVER)
        for name in sorted(names):
            path = os.path.join(at, name)
            if is_definition_name(name) or (name.endswith(".agent.md") and is_definition(snapshot, path)):
                yield path


def reachable(snapshot: Snapshot, paths: list[str]) -> list[str]:
    """These definitions and all files that they name, in the order in which they are met, each once."""
    found: dict[str, None] = {}
    pending = list(reversed(paths))
    while pending:
        path = pending.pop()
        if path in found or (source := snapshot.source(path)) is None:
            continue
        found[path] = None
        pending += [resolve(path, reference.target) for reference in reversed(source.references)]
    return list(found)


def is_definition(snapshot: Snapshot, path: str) -> bool:
    """Whether the file at `path` is a definition: by its name, by its content, or because another one names it."""
    if is_definition_name(os.path.basename(path)):
        return True
    text = snapshot.read(path)
    if not isinstance(text, str):
        return False
    if path.endswith(".agent.md"):
        text = yaml_part(text)
    elif not path.endswith(_YAML):
        return False
    return looks_like_definition(text) or snapshot.referrers(path) != ()
