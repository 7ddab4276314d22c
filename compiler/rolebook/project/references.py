"""Which definition names which other files, turned round: who names this file. One index for each folder.

An index never changes; one for after an edit shares everything with the old one unless the references changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from rolebook.project.source import Source

ENDINGS = (".yaml", ".yml", ".agent.md")
"""Of files that may be definitions."""

_MENTIONS = ("config_path", "edges")


class Index(NamedTuple):
    """Of one folder: the files that each definition in it names, and the definitions that name each file."""

    targets: Mapping[str, tuple[str, ...]]
    referrers: Mapping[str, tuple[str, ...]]

    def of(self, path: str) -> tuple[str, ...]:
        return self.referrers.get(path, ())

    def with_file(self, path: str, targets: tuple[str, ...]) -> Index:
        """The index once the file at `path` names `targets`."""
        if not path.endswith(ENDINGS):
            return self
        old = self.targets.get(path, ())
        if old == targets:
            return self
        referrers = dict(self.referrers)
        for target in set(old) - set(targets):
            referrers[target] = tuple(other for other in referrers[target] if other != path)
        for target in set(targets) - set(old):
            referrers[target] = tuple(sorted({*referrers.get(target, ()), path}))
        return Index({**self.targets, path: targets}, referrers)


def index_folder(folder: str, names: Iterable[str], targets_of: Callable[[str], tuple[str, ...]]) -> Index:
    """The index of the definitions with these names in a folder; `targets_of` tells what one of them names."""
    targets: dict[str, tuple[str, ...]] = {}
    referrers: dict[str, list[str]] = {}
    for name in names:
        if name.endswith(ENDINGS):
            path = os.path.join(folder, name)
            found = targets_of(path)
            if found:
                targets[path] = found
            for target in found:
                referrers.setdefault(target, []).append(path)
    return Index(targets, {target: tuple(others) for target, others in referrers.items()})


def may_name_files(text: str) -> bool:
    """Whether a definition could name others; one that can't needn't be parsed to know that it doesn't."""
    return any(word in text for word in _MENTIONS)


def targets_of(source: Source) -> tuple[str, ...]:
    """The paths that a definition names, each once, itself left out."""
    found = dict.fromkeys(resolve(source.path, reference.target) for reference in source.references)
    return tuple(target for target in found if target != source.path)


def resolve(referrer: str, target: str) -> str:
    """The path that `config_path: target` in the file `referrer` means."""
    return os.path.normpath(os.path.join(os.path.dirname(referrer), target))
