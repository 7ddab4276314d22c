"""Changes to a workspace as plain values: edits by file, files that are made, moved and deleted.

Features make them, the protocol layer sends them, and `applied` shows what they would lead to before anyone agrees.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from rolebook.project.files import Content, Files, MemoryFiles
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record, field
from rolebook.text import Edit, Span, apply

_LINE_END = re.compile(r"\r\n|\n|\r")


class Change(Record):
    """Replace `span` by `text`. `confirm` says in a few words why a person should look at it first; mostly empty."""

    span: Span
    text: str
    confirm: str = ""


class Changes(Record):
    """`edits` by path, counted in the texts as they are; `created` are new files with their texts.

    Files in `renamed`, pairs of an old and a new path, keep their texts but for the edits, which go by the old path.
    """

    edits: Mapping[str, tuple[Change, ...]] = field(default_factory=dict)
    created: Mapping[str, str] = field(default_factory=dict)
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits or self.created or self.deleted or self.renamed)

    @property
    def touches_files(self) -> bool:
        """Whether files come, go or move, which not every client can do."""
        return bool(self.created or self.deleted or self.renamed)


class Refusal(Record):
    """Why a change can't be made, as a sentence for the user."""

    reason: str


def in_file(path: str, edits: Iterable[Edit]) -> Changes:
    """The edits of one file as changes."""
    return Changes({path: tuple(Change(span, text) for span, text in sorted(edits))})


def text_of(snapshot: Snapshot, path: str) -> str:
    """The text of a file, empty where there is none that can be read."""
    content = snapshot.read(path)
    return content if isinstance(content, str) else ""


def texts_after(snapshot: Snapshot, changes: Changes) -> dict[str, str]:
    """The texts of all files that the changes touch, by the paths that they have then.

    Raises ValueError where edits overlap, which is a fault of the caller.
    """
    moved = dict(changes.renamed)
    texts = dict(changes.created)
    for path in dict.fromkeys((*changes.edits, *moved)):
        edits = [Edit(change.span, change.text) for change in changes.edits.get(path, ())]
        texts[moved.get(path, path)] = apply(text_of(snapshot, path), edits)
    return texts


def applied(snapshot: Snapshot, changes: Changes) -> Snapshot:
    """The workspace as the changes would make it. Nothing is written."""
    texts = texts_after(snapshot, changes)
    gone = {*changes.deleted, *(old for old, _ in changes.renamed)} - texts.keys()
    if not gone:
        return snapshot.with_texts(texts)
    return Snapshot(_Without(gone, MemoryFiles(texts, snapshot.files)), snapshot.root)


class _Without:
    """Files but for some."""

    def __init__(self, gone: set[str], below: Files) -> None:
        self._gone, self._below = gone, below

    def read(self, path: str) -> Content:
        return None if path in self._gone else self._below.read(path)

    def names(self, folder: str) -> tuple[str, ...]:
        found = self._below.names(folder)
        return tuple(name for name in found if os.path.join(folder, name) not in self._gone)


def line_end(text: str) -> str:
    """The line end that a text uses, by its first one."""
    found = _LINE_END.search(text)
    return found.group() if found is not None else "\n"


def with_line_ends(text: str, end: str) -> str:
    """The text with `end` for every line end."""
    return text if end == "\n" and "\r" not in text else _LINE_END.sub(lambda _: end, text)


def fitted(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits with line ends as `text` has them."""
    end = line_end(text)
    return tuple(Edit(span, with_line_ends(new, end)) for span, new in edits)
