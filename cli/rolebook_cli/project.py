"""From a path on the command line to a snapshot and a tree."""

from __future__ import annotations

import os
import sys

from rolebook.problem import Problem
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.discover import (
    definitions_below,
    is_definition,
    is_definition_name,
    reachable,
    workspace_root,
)
from rolebook.project.files import LARGEST, DiskFiles, MemoryFiles, Unreadable, decode
from rolebook.project.snapshot import Snapshot
from rolebook.project.tree import Tree
from rolebook.rules import errors_for_run
from rolebook_cli.output import Failure, shown_path


def open_snapshot(path: str) -> Snapshot:
    return Snapshot(DiskFiles(), workspace_root(os.path.abspath(path)))


def open_tree(path: str) -> tuple[Snapshot, Tree]:
    """The tree of the definition at `path`; of a folder, that of its `root_agent.yaml`. Raises Failure."""
    path = os.path.abspath(path)
    if os.path.isdir(path):
        path = _root_agent(path)
    snapshot = open_snapshot(path)
    tree = snapshot.tree(path)
    if tree is None:
        raise Failure(_why_unreadable(snapshot, path))
    return snapshot, tree


def files_of(paths: list[str]) -> tuple[Snapshot, list[str], list[str]]:
    """A snapshot for these files and folders, every definition in or below them with all that they name and their
    settings, and what is wrong with the paths themselves, in sentences. Raises Failure where nothing is found."""
    given = [os.path.abspath(path) for path in paths]
    snapshot = open_snapshot(_common(given))
    found: list[str] = []
    failures: list[str] = []
    for path in given:
        if os.path.isdir(path):
            below = list(definitions_below(snapshot, path))
            found += below
            if not below:
                failures.append(f"{shown_path(path)} holds no definitions")
        elif isinstance(snapshot.read(path), str):
            found.append(path)
        else:
            failures.append(_why_unreadable(snapshot, path))
    if not found:
        raise Failure(*failures)
    files = reachable(snapshot, found)
    configs = dict.fromkeys(snapshot.config(path).path for path in files)
    return snapshot, list(dict.fromkeys([*files, *(path for path in configs if path)])), failures


def standard_input(name: str | None) -> tuple[Snapshot, list[str]]:
    """A snapshot in which standard input is the file `name`, and that file, unless it is no definition.

    Raises Failure where standard input can't be read.
    """
    path = os.path.abspath(name or "<stdin>")
    try:
        data = sys.stdin.buffer.read(LARGEST + 1) if sys.stdin is not None else None
    except OSError as error:
        raise Failure(f"standard input can't be read: {error.strerror or error}") from None
    if data is None:
        raise Failure("standard input can't be read: it is closed")
    content = decode(data) if len(data) <= LARGEST else Unreadable(f"it is larger than {LARGEST >> 20} MiB")
    if isinstance(content, Unreadable):
        raise Failure(f"standard input can't be read: {content.reason}")
    snapshot = Snapshot(MemoryFiles({path: content}, DiskFiles()), workspace_root(path))
    checked = name is None or os.path.basename(path) in CONFIG_NAMES or is_definition(snapshot, path)
    return snapshot, [path] if checked else []


def _common(paths: list[str]) -> str:
    try:
        return os.path.commonpath(paths)
    except ValueError:  # several drives
        return os.path.dirname(paths[0])


def errors_of(snapshot: Snapshot, tree: Tree) -> list[Problem]:
    """The errors in all files of a tree that keep it from being run."""
    paths = dict.fromkeys(place.agent.path for place in tree)
    return [problem for path in paths for problem in errors_for_run(snapshot, path)]


def _root_agent(folder: str) -> str:
    names = [name for name in ("root_agent.yaml", "root_agent.yml") if os.path.isfile(os.path.join(folder, name))]
    if not names:
        others = sorted(name for name in os.listdir(folder) if is_definition_name(name))
        names = others if len(others) == 1 else []
    if not names:
        raise Failure(f"{shown_path(folder)} holds no `root_agent.yaml`; name the definition to use")
    return os.path.join(folder, names[0])


def _why_unreadable(snapshot: Snapshot, path: str) -> str:
    content = snapshot.read(path)
    if isinstance(content, Unreadable):
        return f"{shown_path(path)} can't be read: {content.reason}"
    return f"there is no file {shown_path(path)}"
