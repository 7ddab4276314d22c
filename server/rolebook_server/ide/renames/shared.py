"""Which trees share a state key: those that have a file in common that names it, be it Python or `rolebook.toml`."""

from __future__ import annotations

import os

from rolebook.project.config import CONFIG_NAMES
from rolebook.project.snapshot import Snapshot
from rolebook_server.ide.occurrences import Thing, occurrences


def sharing(snapshot: Snapshot, thing: Thing, paths: tuple[str, ...]) -> tuple[Thing, ...]:
    """The state key `thing` as each tree that shares it sees it; `paths` are the definitions of the workspace."""
    found = {thing.path: thing}
    pending = [thing]
    while pending:
        for occurrence in occurrences(snapshot, (pending.pop(),), paths):
            for path in _others(snapshot, occurrence.path, thing.name, paths):
                if path not in found:
                    found[path] = Thing("state", thing.name, path)
                    pending.append(found[path])
    return tuple(found.values())


def _others(snapshot: Snapshot, path: str, key: str, paths: tuple[str, ...]) -> list[str]:
    """The tops of other trees that a file which names the key has a say in."""
    if os.path.basename(path) in CONFIG_NAMES:
        return [path]
    if not path.endswith(".py"):
        return []
    tops = (other for other in paths if not snapshot.referrers(other))
    return [top for top in tops if _runs(snapshot, top, path, key)]


def _runs(snapshot: Snapshot, top: str, module: str, key: str) -> bool:
    """Whether a tree has a function of this module, and knows the key by it."""
    tree = snapshot.tree(top)
    if tree is None:
        return False
    keys = snapshot.state_keys(tree)
    return module in keys.sources and (key in keys.setters or snapshot.state_uses(tree).may_read(key))
