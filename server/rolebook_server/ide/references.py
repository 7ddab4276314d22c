"""References: every place in the workspace that names what is named at the cursor."""

from __future__ import annotations

from collections.abc import Iterable

from rolebook.project.snapshot import Snapshot
from rolebook_server.ide.anchors import use_at
from rolebook_server.ide.occurrences import Occurrence, occurrences, thing_at


def references(
    snapshot: Snapshot, path: str, offset: int, paths: Iterable[str], *, declarations: bool = True
) -> tuple[Occurrence, ...]:
    """The references to what is named at `offset`, by file and offset; `paths` are the definitions of the workspace.

    Without `declarations`, the places that declare or set it are left out.
    """
    at = thing_at(snapshot, path, offset)
    found = occurrences(snapshot, at.things, paths) if at is not None else _of_anchor(snapshot, path, offset)
    return tuple(each for each in found if declarations or each.access == "read")


def _of_anchor(snapshot: Snapshot, path: str, offset: int) -> tuple[Occurrence, ...]:
    source = snapshot.source(path)
    use = use_at(source, offset) if source is not None else None
    if use is None:
        return ()
    anchor = (Occurrence(path, use.anchor.span, "declare", "anchor"),) if use.anchor is not None else ()
    return (*anchor, *(Occurrence(path, alias.span, "read", "anchor") for alias in use.aliases))
