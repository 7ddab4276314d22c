"""The names that an agent can hand over to, asked again and again while a file is checked."""

from __future__ import annotations

from rolebook.definition.agent import Reference
from rolebook.definition.names import nearest
from rolebook.project.tree import Place, Tree

_MOST_COMPARED = 200
"""Names of a file that are compared with others in search of the nearest one; that takes time."""


class Targets:
    """What is asked again and again while a file is checked; each answer is found once."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, int], dict[str, None]] = {}
        self._plain: dict[int, dict[str, set[str]]] = {}
        self._open: dict[tuple[int, int], bool] = {}
        self._near: dict[tuple[int, int, str], str | None] = {}

    def names(self, tree: Tree, place: Place) -> dict[str, None]:
        """The names of a place's targets, as keys."""
        key = (id(tree), place.index)
        if key not in self._names:
            self._names[key] = dict.fromkeys(target.agent.name for target in tree.transfer_targets(place))
        return self._names[key]

    def same_but_for_slips(self, tree: Tree, place: Place, name: str) -> str | None:
        """The one target whose name differs in case, hyphens or blanks only."""
        if id(tree) not in self._plain:
            plain: dict[str, set[str]] = {}
            for other in tree:
                plain.setdefault(_plain(other.agent.name), set()).add(other.agent.name)
            self._plain[id(tree)] = plain
        names = self.names(tree, place)
        same = [other for other in self._plain[id(tree)].get(_plain(name), ()) if other in names]
        return same[0] if len(same) == 1 else None

    def near(self, tree: Tree, place: Place, name: str) -> str | None:
        """The nearest target; None past the first names of a file, since comparing takes time."""
        key = (id(tree), place.index, name)
        if key not in self._near:
            names = self.names(tree, place)
            self._near[key] = nearest(name, names) if len(self._near) < _MOST_COMPARED else None
        return self._near[key]

    def may_be_elsewhere(self, tree: Tree, place: Place) -> bool:
        """Whether agents are around whose names can't be known."""
        parent = tree.parent(place)
        return any(self._is_open(tree, at) for at in (place, parent) if at is not None)

    def _is_open(self, tree: Tree, place: Place) -> bool:
        key = (id(tree), place.index)
        if key not in self._open:
            self._open[key] = _has_unknown(tree, place)
        return self._open[key]


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def _has_unknown(tree: Tree, place: Place) -> bool:
    """Whether an agent has children whose names can't be known: in code, in a file that is missing, or without one."""
    for child in place.agent.sub_agents:
        if isinstance(child, Reference) and (child.kind == "code" or (place.agent.path, child.span) in tree.unread):
            return True
    return place.agent.kind == "custom" or any(not child.agent.name for child in tree.children(place))
