"""What git ignores: the `.gitignore` files from the repository's root down, the deeper ones deciding last."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Ignored:
    """Judges paths below `folder`. Without a repository around it nothing is ignored."""

    def __init__(self, folder: str) -> None:
        self._root = _repository(folder)
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {}

    def file(self, path: str) -> bool:
        """Whether git ignores the file at `path`, whose folder it doesn't ignore."""
        return self._root is not None and self._judge(path, "")

    def folder(self, path: str) -> bool:
        """Whether git ignores the folder at `path`, and with it all that it holds."""
        return self._root is not None and self._judge(path, "/")

    def _judge(self, path: str, end: str) -> bool:
        """The verdict of the deepest `.gitignore` that has one; `end` is the slash of a folder."""
        root = self._root
        folder = os.path.dirname(path)
        while root is not None:
            spec = self._spec(folder)
            if spec is not None:
                verdict = spec.check_file(os.path.relpath(path, folder).replace(os.sep, "/") + end).include
                if verdict is not None:
                    return verdict
            if folder == root:
                break
            folder = os.path.dirname(folder)
        return False

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = _read(os.path.join(folder, ".gitignore"))
        return self._specs[folder]


def _read(path: str) -> GitIgnoreSpec | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    from pathspec import GitIgnoreSpec  # takes longer to load than a small workspace takes to check

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # one bad pattern; git passes over it
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _repository(folder: str) -> str | None:
    """The root of the git repository that `folder` lies in."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder
