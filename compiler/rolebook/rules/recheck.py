"""Checks many files again and again, and each only when something changed that its problems depend on.

A file depends on its text, on its configuration, on the trees that it takes part in, on the Python sources that those
trees name, and, where a reference leads nowhere, on which files there are at all.
"""

from __future__ import annotations

import re
from typing import Any

from rolebook.problem import Problem
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import functions
from rolebook.project.tree import Tree
from rolebook.rules import check_file

_DOTTED = re.compile(r"\w\.[A-Za-z_]")
"""What a dotted name looks like; a text without one names nothing in Python."""


_FILE = re.compile(r"^[ \t]*+(?:- )?+[ \t]*+config_path:[ \t]*\S+[ \t]*$", re.MULTILINE)
"""A line that names a definition's file and nothing else."""


class Recheck:
    """The problems of files as last found. `runs` counts how often the rules ran on a file."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[Any, ...], tuple[Problem, ...]]] = {}
        self.runs = 0

    def problems(self, snapshot: Snapshot, path: str) -> tuple[Problem, ...]:
        """What `check_file` gives for the file at `path`."""
        depends_on = _dependencies(snapshot, path)
        known = self._known.get(path)
        if known is None or known[0] != depends_on:
            self.runs += 1
            known = self._known[path] = (depends_on, check_file(snapshot, path))
        return known[1]

    def forget(self, path: str) -> None:
        """Drops what is known of a file that is no longer asked for."""
        self._known.pop(path, None)


class _Same:
    """Compares a value by identity: what a snapshot shares with an earlier one is the same object."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


def _dependencies(snapshot: Snapshot, path: str) -> tuple[Any, ...]:
    """What the problems of the file are made from, equal as long as none of it changed."""
    text, config = snapshot.read(path), snapshot.config(path)
    if not isinstance(text, str) or snapshot.source(path) is None:
        return (text, config)
    trees = snapshot.trees_with(path)
    beside = _Same(snapshot.shape) if _looks_around(trees) else None
    python = _Same(snapshot.python_shape) if _needs_python(text, trees) else None
    return (text, config, tuple(map(_Same, trees)), beside, python)


def depends_widely(snapshot: Snapshot, path: str) -> bool:
    """Whether the problems of the file depend on more than its configuration and the files of its trees."""
    text, trees = snapshot.read(path), snapshot.trees_with(path)
    return not isinstance(text, str) or not trees or _looks_around(trees) or _needs_python(text, trees)


def _looks_around(trees: tuple[Tree, ...]) -> bool:
    return any(tree.bad for tree in trees)


def _needs_python(text: str, trees: tuple[Tree, ...]) -> bool:
    return _DOTTED.search(_FILE.sub("", text)) is not None or any(map(_names_functions, trees))


def _names_functions(tree: Tree) -> bool:
    """Whether an agent of the tree names functions of the user's."""
    return any(next(functions(place.agent), None) is not None for place in tree)
