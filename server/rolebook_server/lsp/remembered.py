"""The problems of a workspace as an earlier session found them, as long as nothing says otherwise.

Checking 10,000 definitions takes half a minute, reading them half a second. What is remembered of a definition holds
while the files of all its trees are as they were, and nothing that is new or changed names one of them. Where Python
sources or the mere presence of files count as well, or settings have changed, it holds only if nothing at all changed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.files import Content
from rolebook.project.references import ENDINGS
from rolebook.rules.recheck import depends_widely
from rolebook.text import Edit, Span
from rolebook_server.lsp import cache

if TYPE_CHECKING:
    from rolebook_server.lsp.workspace import Workspace

FEWEST = 100
"""Definitions; a smaller workspace is checked as quickly as it is remembered."""

_CHUNK = 50
"""Files that are looked at before other work gets its turn."""


class _Entry(NamedTuple):
    problems: tuple[Problem, ...]
    files: frozenset[str]
    is_wide: bool
    """Whether it holds only while nothing at all has changed."""


class Remembered:
    """Entries by path, fewer with every change."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._entries: dict[str, _Entry] = {}
        self._by_file: dict[str, list[str]] = {}
        self._changes = 0
        self._meanwhile: list[str] | None = None
        """What has changed while the stored state was compared; None at any other time."""
        self._is_stored = False

    def problems(self, path: str) -> tuple[Problem, ...] | None:
        """What is remembered of a definition; None for nothing."""
        entry = self._entries.get(path)
        return entry.problems if entry is not None else None

    def changed(self, paths: Iterable[str]) -> None:
        """Forgets what may not hold any more now that these files have changed, come or gone."""
        paths = list(paths)
        self._changes += len(paths)
        if self._meanwhile is not None:
            self._meanwhile += paths
        if not self._entries or not paths:
            return
        if any(os.path.basename(path) in (*CONFIG_NAMES, ".git") for path in paths):
            self._entries.clear()
            return
        for path in [path for path, entry in self._entries.items() if entry.is_wide]:
            del self._entries[path]
        for file in {file for path in paths for file in self._touched_by(path)}:
            for other in self._by_file.get(file, ()):
                self._entries.pop(other, None)

    def _touched_by(self, path: str) -> Iterator[str]:
        """A file and those that it names now; those that it named before are in the trees that it was in. A folder,
        written `FOLDER/*`, stands for what is new in it."""
        folder, name = os.path.split(path)
        snapshot = self._workspace.snapshot(path)
        yield path
        for each in snapshot.names(folder) if name == "*" else (name,):
            if each.endswith(ENDINGS):
                yield from snapshot.targets(os.path.join(folder, each))

    def load(self) -> Iterator[None]:
        """Takes what an earlier session stored, as far as it still holds. In steps."""
        changed: list[str] = []
        self._meanwhile = changed
        yield from self._compare(cache.load(self._workspace.folders), changed)
        self._meanwhile = None
        self.changed(changed)

    def _compare(self, stored: Any, changed: list[str]) -> Iterator[None]:
        """Takes the entries of a stored state, and adds to `changed` what isn't any more as it was."""
        yield
        try:
            names, digests, folders, files = (stored[key] for key in ("names", "digests", "folders", "files"))
            if stored["roots"] != self._roots(map(os.path.dirname, names)):
                return
            targets = [(names[int(at)], tuple(names[to] for to in named)) for at, named in stored["targets"].items()]
            entries: dict[str, _Entry] = {}
            for index, value in files.items():
                entries[names[int(index)]] = _entry(names, value)
                if len(entries) % _CHUNK == 0:
                    yield
            inputs = dict(zip(names, digests, strict=True))
        except (AttributeError, KeyError, TypeError, ValueError, IndexError):
            return
        yield
        for number, (path, digest) in enumerate(inputs.items()):
            if _digest(self._workspace.snapshot(path).read(path)) != digest:
                changed.append(path)
            if number % _CHUNK == 0:
                yield
        differing = set(changed)
        for path, named in targets:
            if path not in differing:
                self._workspace.snapshot(path).know_targets(path, named)
        for number, (folder, digest) in enumerate(folders.items()):
            found = self._workspace.snapshot(os.path.join(folder, "any")).names(folder)
            if _digest("\n".join(found)) != digest:
                new = (os.path.join(folder, name) for name in found if name.endswith((*ENDINGS, ".py")))
                changed += [os.path.join(folder, "*"), *(path for path in new if path not in inputs)]
            if number % _CHUNK == 0:
                yield
        self._entries = entries
        for path, entry in entries.items():
            for file in entry.files:
                self._by_file.setdefault(file, []).append(path)
        self._is_stored = not changed

    def store(self, paths: Iterable[str]) -> Iterator[None]:
        """Stores the problems of these definitions, all of which were found just now. In steps."""
        paths = list(paths)
        if self._is_stored or len(paths) < FEWEST:
            return
        before = self._changes
        workspace = self._workspace
        inputs, folders = workspace.read_so_far()
        numbers = {path: number for number, path in enumerate(inputs)}
        files: dict[str, Any] = {}
        targets: dict[str, list[int]] = {}
        for number, path in enumerate(paths):
            snapshot = workspace.snapshot(path)
            entry = self._entries.get(path)
            if entry is None:
                trees = snapshot.trees_with(path)
                used = frozenset({path}).union(*(tree.files for tree in trees))
                is_wide = depends_widely(snapshot, path)
                entry = _Entry(workspace.recheck.problems(snapshot, path), used, is_wide)
            if path in numbers and numbers.keys() >= entry.files:
                files[str(numbers[path])] = _plain(numbers, entry)
                named = snapshot.targets(path)
                if named and numbers.keys() >= set(named):
                    targets[str(numbers[path])] = [numbers[target] for target in named]
            if number % _CHUNK == 0:
                yield
            if self._changes != before:
                return  # some was found in another state than the rest
        digests = []
        for path in inputs:
            digests.append(_digest(workspace.snapshot(path).read(path)))
            if len(digests) % _CHUNK == 0:
                yield
        if self._changes != before:
            return
        self._is_stored = True
        listed = {at: _digest("\n".join(workspace.snapshot(os.path.join(at, "any")).names(at))) for at in folders}
        roots = self._roots(map(os.path.dirname, inputs))
        about = {"names": inputs, "digests": digests, "folders": listed, "roots": roots}
        cache.store(workspace.folders, {**about, "files": files, "targets": targets})

    def _roots(self, folders: Iterable[str]) -> dict[str, str]:
        """The roots above folders, on which it depends how far references are looked for."""
        return {folder: self._workspace.root_of(os.path.join(folder, "any")) for folder in dict.fromkeys(folders)}


def _digest(content: Content) -> str:
    if isinstance(content, str):
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return "" if content is None else content.reason


def _plain(numbers: dict[str, int], entry: _Entry) -> list[Any]:
    problems = [
        [
            [each.rule, int(each.severity), each.path, each.span, each.message],
            [[other.path, other.span, other.message] for other in each.related],
            [[fix.title, fix.edits, fix.safe] for fix in each.fixes],
        ]
        for each in entry.problems
    ]
    return [problems, sorted(numbers[file] for file in entry.files), entry.is_wide]


def _entry(names: list[str], value: Any) -> _Entry:
    problems, files, is_wide = value
    return _Entry(tuple(map(_problem, problems)), frozenset(names[number] for number in files), bool(is_wide))


def _problem(value: Any) -> Problem:
    (rule, severity, path, span, message), related, fixes = value
    return Problem(
        rule,
        Severity(severity),
        path,
        Span(*span),
        message,
        tuple(Related(other, Span(*where), text) for other, where, text in related),
        tuple(Fix(title, tuple(Edit(Span(*at), text) for at, text in edits), safe) for title, edits, safe in fixes),
    )
