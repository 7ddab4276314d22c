"""A snapshot: all files as they are at one moment. It never changes; an edit makes a new one that shares what it can.

Files are read when first asked for and stay as they were read. What was made from a file's text is shared between
snapshots as long as that text is the same. What reads Python is loaded once a definition names a function.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from rolebook.definition.agent import Agent, Reference
from rolebook.definition.declaration import Declaration
from rolebook.project.config import CONFIG_NAMES, Config, read_config
from rolebook.project.files import Content, Files, MemoryFiles, Unreadable
from rolebook.project.flow import Flow
from rolebook.project.layers import Layers, Trees
from rolebook.project.references import Index, index_folder, may_name_files, resolve, targets_of
from rolebook.project.source import Source, read_source
from rolebook.project.state import Effects, StateKeys, functions, state_keys
from rolebook.project.tree import Place, Tree, build_tree

if TYPE_CHECKING:
    from rolebook.project.python import Sources
    from rolebook.project.uses import Uses
    from rolebook.syntax.python import Module


class Snapshot:
    """The files of a workspace; `root` is the folder above which nothing is looked for.

    `shape` is shared with the snapshots after it as long as no file comes or goes, `python_shape` as long as no Python
    source is another one.
    """

    def __init__(self, files: Files, root: str) -> None:
        self.files = files
        self.root = root
        self.shape = object()
        self.python_shape = object()
        self._contents: Layers[str, Content] = Layers()
        self._sources: Layers[str, Source] = Layers()
        self._trees = Trees()
        self._configs: dict[str, Config] = {}
        self._keys: dict[str, tuple[Tree, StateKeys, Flow]] = {}
        self._uses: dict[str, tuple[Tree, Uses]] = {}
        self._modules: dict[str, tuple[str, Module]] = {}
        self._targets: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._python: dict[str, Sources] = {}
        self._indexes: Layers[str, Index] = Layers()
        self._names: Layers[str, tuple[str, ...]] = Layers()

    def with_texts(self, texts: Mapping[str, str], closed: frozenset[str] = frozenset()) -> Snapshot:
        """A snapshot in which the files at these paths hold these texts; those in `closed` are read anew."""
        below = self.files.below if isinstance(self.files, MemoryFiles) else self.files
        old = self.files.texts if isinstance(self.files, MemoryFiles) else {}
        kept = {path: text for path, text in old.items() if path not in closed}
        new = Snapshot(MemoryFiles({**kept, **texts}, below), self.root)
        changed = closed.union(texts)
        new._contents = self._contents.parted(changed)
        known = {path: source for path in texts if (source := self._sources.get(path)) is not None}
        new._sources = self._sources.parted(changed, known)
        new._targets = self._targets
        if any(os.path.basename(path) in CONFIG_NAMES for path in changed):
            return new  # the settings may be others now, and every tree with them
        new._configs = self._configs
        new._trees = self._trees.parted(changed)
        appeared = {os.path.dirname(path) for path in texts if not isinstance(self._contents.get(path), str)}
        if not (appeared or closed):
            new.shape = self.shape
        new._modules = self._modules
        if not any(path.endswith(".py") for path in changed):
            new.python_shape = self.python_shape
            new._keys = self._keys
            new._uses = self._uses
            new._python = self._python
        if not closed:
            new._names = self._names.parted(appeared)
        indexes: dict[str, Index] = {}
        for path in changed:
            folder = os.path.dirname(path)
            index = indexes.get(folder) or self._indexes.get(folder)
            if index is not None:
                indexes[folder] = index.with_file(path, new.targets(path))
        new._indexes = self._indexes.parted(map(os.path.dirname, changed), indexes)
        return new

    def read(self, path: str) -> Content:
        if path not in self._contents:
            self._contents[path] = self.files.read(path)
        return self._contents[path]

    def names(self, folder: str) -> tuple[str, ...]:
        if folder not in self._names:
            self._names[folder] = self.files.names(folder)
        return self._names[folder]

    def source(self, path: str) -> Source | None:
        """The definition at `path`, None where there is no readable file."""
        text = self.read(path)
        if not isinstance(text, str):
            return None
        known = self._sources.get(path)
        if known is None or known.text.source != text:
            is_open = isinstance(self.files, MemoryFiles) and path in self.files.texts
            known = self._sources[path] = read_source(path, text, known, keep=is_open)
        return known

    def exists(self, path: str) -> Literal["file", "unreadable"] | None:
        content = self.read(path)
        return None if content is None else "file" if isinstance(content, str) else "unreadable"

    def config(self, path: str) -> Config:
        """The settings for the file at `path`: those of the nearest folder at or above it that has any (spec §1)."""
        folder = os.path.dirname(path)
        if folder not in self._configs:
            self._configs[folder] = self._read_config(folder)
        return self._configs[folder]

    def _read_config(self, folder: str) -> Config:
        for name in CONFIG_NAMES:
            path = os.path.join(folder, name)
            text = self.read(path)
            if isinstance(text, str) and (config := read_config(path, text)) is not None:
                return config
            if isinstance(text, Unreadable) and name == CONFIG_NAMES[0]:
                return Config(path)  # what it says is unknown, but it is the one that holds, and is reported
        above = os.path.dirname(folder)
        return self.config(os.path.join(above, "any")) if above != folder else Config()

    def tree(self, path: str) -> Tree | None:
        """The agent tree whose root is the definition at `path`."""
        return self._trees.get(path, lambda: build_tree(self, path))

    def state_keys(self, tree: Tree) -> StateKeys:
        """Who sets which key of state in a tree."""
        return self._state(tree)[1]

    def flow(self, tree: Tree) -> Flow:
        """When each key of state is set, as the agents of a tree see it."""
        return self._state(tree)[2]

    def state_uses(self, tree: Tree) -> Uses:
        """Which keys of state a tree reads."""
        known = self._uses.get(tree.root.agent.path)
        if known is None or known[0] is not tree:
            from rolebook.project.uses import state_uses

            uses = state_uses(tree, self.state_keys(tree), self.python, self._text)
            known = self._uses[tree.root.agent.path] = (tree, uses)
        return known[1]

    def _text(self, path: str) -> str:
        content = self.read(path)
        return content if isinstance(content, str) else ""

    def _state(self, tree: Tree) -> tuple[Tree, StateKeys, Flow]:
        known = self._keys.get(tree.root.agent.path)
        if known is None or known[0] is not tree:
            keys = state_keys(tree, self._effects)
            known = self._keys[tree.root.agent.path] = (tree, keys, Flow(tree, keys))
        return known

    def _effects(self, place: Place) -> Mapping[str, Effects]:
        if next(functions(place.agent), None) is None:
            return {}
        from rolebook.project.tools import state_effects

        return state_effects(place, self.python(place.agent.path))

    def declarations(self, place: Place) -> dict[str, Declaration]:
        """The declarations of an agent's tools by their labels."""
        if not place.agent.tools:
            return {}
        from rolebook.project.tools import declarations

        path = place.agent.path

        def agent_of(reference: Reference) -> Agent | None:
            source = self.source(resolve(path, reference.target))
            return source.agent if source is not None else None

        return declarations(place, self.python(path), agent_of)

    def python(self, path: str) -> Sources:
        """The Python sources that dotted names in the definition at `path` lead to."""
        folder = os.path.dirname(path)
        if folder not in self._python:
            from rolebook.project.python import Sources, search_folders

            self._python[folder] = Sources(search_folders(path, self.root), self._module, self.names)
        return self._python[folder]

    def _module(self, path: str) -> Module | None:
        text = self.read(path)
        if not isinstance(text, str):
            return None
        known = self._modules.get(path)
        if known is None or known[0] != text:
            from rolebook.syntax.python import parse_module

            known = self._modules[path] = (text, parse_module(text))
        return known[1]

    def trees_with(self, path: str) -> tuple[Tree, ...]:
        """The trees that hold the definition at `path`, each from its top; its own where nobody refers to it.

        A reference can't leave its folder, so whoever refers to a file lies in its folder or above, up to `root`.
        """
        tops: list[str] = []
        seen, pending = {path}, [path]
        while pending:
            at = pending.pop()
            referrers = self.referrers(at)
            if not referrers:
                tops.append(at)
            pending += [other for other in referrers if other not in seen]
            seen.update(referrers)
        return tuple(tree for top in tops or [path] if (tree := self.tree(top)) is not None)

    def referrers(self, path: str) -> tuple[str, ...]:
        """The definitions that name the file at `path` as a sub-agent."""
        found: list[str] = []
        folder = os.path.dirname(path)
        while True:
            found += self._index(folder).of(path)
            above = os.path.dirname(folder)
            if folder == self.root or above == folder or not folder.startswith(self.root):
                return tuple(found)
            folder = above

    def _index(self, folder: str) -> Index:
        if folder not in self._indexes:
            self._indexes[folder] = index_folder(folder, self.names(folder), self.targets)
        return self._indexes[folder]

    def targets(self, path: str) -> tuple[str, ...]:
        """The files that the one at `path` names, if it is a definition; none otherwise."""
        text = self.read(path)
        if not isinstance(text, str) or not may_name_files(text):
            return ()
        known = self._targets.get(path)
        if known is None or known[0] != text:
            source = self.source(path)
            known = self._targets[path] = (text, targets_of(source) if source is not None else ())
        return known[1]

    def know_targets(self, path: str, targets: tuple[str, ...]) -> None:
        """Tells what `targets` would give for the file as it is, so that it needn't be parsed for that."""
        text = self.read(path)
        if isinstance(text, str):
            self._targets[path] = (text, targets)
