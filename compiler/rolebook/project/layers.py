"""What is remembered from one snapshot to the next, without a copy of it for each edit.

A workspace has thousands of files and an edit touches one of them. So all snapshots share what was found of the files
that none of them changed, and each has of its own only what it found of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from rolebook.project.tree import Tree

K = TypeVar("K")
V = TypeVar("V")

_MOST_OWN = 200
"""Keys of its own with which a copy of everything is made; so a copy comes with every 200th other key at most."""


class Layers(Generic[K, V]):
    """Values by key, found when first asked for. Of a key in `_own` this one has its own value, or none yet; the rest
    is shared, in both directions, with those that it was made from and that are made from it."""

    def __init__(self) -> None:
        self._shared: dict[K, V] = {}
        self._own: dict[K, tuple[V] | None] = {}

    def get(self, key: K) -> V | None:
        if key in self._own:
            own = self._own[key]
            return None if own is None else own[0]
        return self._shared.get(key)

    def __contains__(self, key: K) -> bool:
        return self._own[key] is not None if key in self._own else key in self._shared

    def __getitem__(self, key: K) -> V:
        own = self._own.get(key)
        if own is not None:
            return own[0]
        if key in self._own:
            raise KeyError(key)
        return self._shared[key]

    def __setitem__(self, key: K, value: V) -> None:
        """Remembers what was found; it must hold wherever the key isn't its own."""
        if key in self._own:
            self._own[key] = (value,)
        else:
            self._shared[key] = value

    def parted(self, forgotten: Iterable[K] = (), given: Mapping[K, V] | None = None) -> Layers[K, V]:
        """The same for after a change: without what is known of `forgotten`, and with other values for `given`."""
        changes: dict[K, tuple[V] | None] = dict.fromkeys(forgotten)
        if given is not None:
            changes |= {key: (value,) for key, value in given.items()}
        new: Layers[K, V] = Layers()
        new._shared, new._own = self._shared, {**self._own, **changes}
        if len(new._own) > _MOST_OWN:
            own = new._own
            new._shared = {key: value for key, value in self._shared.items() if key not in own}
            new._shared |= {key: value[0] for key, value in own.items() if value is not None}
            new._own = {}
        return new


class Trees:
    """Trees by the files of their roots. Shared are those of which no file has changed since they began to be shared:
    whoever has changed one builds his own, and doesn't take that of another."""

    def __init__(self) -> None:
        self._shared: dict[str, Tree | None] = {}
        self._own: dict[str, Tree | None] = {}
        self._changed: frozenset[str] = frozenset()

    def get(self, path: str, build: Callable[[], Tree | None]) -> Tree | None:
        if path in self._own:
            return self._own[path]
        if path in self._shared and _lacks(path, tree := self._shared[path], self._changed):
            return tree
        tree = build()
        (self._shared if _lacks(path, tree, self._changed) else self._own)[path] = tree
        return tree

    def parted(self, changed: frozenset[str]) -> Trees:
        """The same for after a change of these files."""
        new = Trees()
        new._shared, new._changed = self._shared, self._changed | changed
        new._own = {path: tree for path, tree in self._own.items() if _lacks(path, tree, changed)}
        if len(new._changed) > _MOST_OWN:
            kept = {path: tree for path, tree in self._shared.items() if _lacks(path, tree, new._changed)}
            new._shared, new._own, new._changed = {**kept, **new._own}, {}, frozenset()
        return new


def _lacks(path: str, tree: Tree | None, changed: frozenset[str]) -> bool:
    """Whether the tree, or that there is none, owes nothing to these files."""
    return tree.files.isdisjoint(changed) if tree is not None else path not in changed
