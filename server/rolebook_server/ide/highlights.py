"""Highlights: the places in one file that name what is named at the cursor, and whether they read or set it."""

from __future__ import annotations

from typing import Literal

from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.text import Span
from rolebook_server.ide.anchors import use_at
from rolebook_server.ide.names import Name, names
from rolebook_server.ide.occurrences import At, meanings, thing_at


class Highlight(Record):
    """`write` is where the thing is declared or set."""

    span: Span
    kind: Literal["read", "write"]


def highlights(snapshot: Snapshot, path: str, offset: int) -> tuple[Highlight, ...]:
    """The highlights of the file at `path` for the name at `offset`, in its order."""
    source = snapshot.source(path)
    at = thing_at(snapshot, path, offset) if source is not None else None
    if source is None:
        return ()
    if at is None:
        use = use_at(source, offset)
        marks = (use.anchor, *use.aliases) if use is not None else ()
        return tuple(Highlight(mark.span, "read" if mark.is_alias else "write") for mark in marks if mark is not None)
    same = (name for name in names(snapshot, source) if _is_same(snapshot, path, at, name))
    return tuple(Highlight(name.span, "read" if name.access == "read" else "write") for name in same)


def _is_same(snapshot: Snapshot, path: str, at: At, name: Name) -> bool:
    if name.kind in ("function", "tool") and at.kind in ("function", "tool"):
        own = (name.text.rpartition(".")[2], at.name.rpartition(".")[2])
        return own[0] == own[1] and not set(at.things).isdisjoint(meanings(snapshot, path, name))
    if name.kind != at.kind or (name.text != at.name and name.kind != "file"):
        return False
    return name.kind in ("state", "artifact", "rule") or not set(at.things).isdisjoint(meanings(snapshot, path, name))
