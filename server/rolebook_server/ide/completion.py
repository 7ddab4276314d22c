"""Completion: keys, the values that a key takes, files, placeholders, transfer targets, rules and settings.

`completion` gives the proposals at an offset, `resolve` the documentation of one that took too long to make at once.
What stands around the cursor is `completions.around`'s part; it works in a file with errors, and in an empty one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain

from rolebook.definition.shapes import Fields, ListOf, Shape
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook_server.ide.changes import text_of
from rolebook_server.ide.completions.around import Around, around
from rolebook_server.ide.completions.comments import in_comment
from rolebook_server.ide.completions.config import in_config
from rolebook_server.ide.completions.documentation import documentation
from rolebook_server.ide.completions.here import Here
from rolebook_server.ide.completions.item import Item, ItemKind
from rolebook_server.ide.completions.keys import keys, new_markdown
from rolebook_server.ide.completions.scalars import written
from rolebook_server.ide.completions.texts import in_text
from rolebook_server.ide.completions.values import Value, values
from rolebook_server.ide.locate import locate

__all__ = ["Item", "ItemKind", "completion", "resolve"]


def completion(snapshot: Snapshot, path: str, offset: int) -> tuple[Item, ...]:
    """The proposals at `offset` of the definition or configuration at `path`, the likeliest first."""
    if not 0 <= offset <= len(text_of(snapshot, path)):
        return ()
    if os.path.basename(path) in CONFIG_NAMES:
        return tuple(in_config(snapshot, path, offset))
    source = snapshot.source(path)
    if source is None:
        return ()
    found = locate(source, offset)
    ways: list[Iterator[Item]] = [in_text(snapshot, source, found, offset)] if found is not None else []
    ways += [new_markdown(source), in_comment(snapshot, source, offset), _at(snapshot, source, offset)]
    items = next((items for way in ways if (items := list(way))), [])
    return tuple(items)


def resolve(snapshot: Snapshot, path: str, id: str) -> str:
    """The documentation, as Markdown, of the proposal with this `id` in the file at `path`; empty where it is gone."""
    return documentation(snapshot, path, id)


def _at(snapshot: Snapshot, source: Source, offset: int) -> Iterator[Item]:
    """What the table of keys allows at the cursor."""
    place = around(source, offset)
    if place is None:
        return
    here = Here(snapshot, source, offset, place)
    if place.what == "key":
        yield from keys(here)
        return
    told: set[str] = set()
    found = chain.from_iterable(_of_shape(here, shape) for shape in place.shapes)
    for item in found:
        if item.label not in told:
            told.add(item.label)
            yield item


def _of_shape(here: Here, shape: Shape) -> Iterator[Item]:
    """The values of one shape; where a mapping is meant, the one that a bare word stands for."""
    if isinstance(shape, ListOf):
        return
    fields = shape if isinstance(shape, Fields) else None
    if fields is None:
        inner: Shape | None = shape
    else:
        key = fields.find(fields.bare) if fields.bare else None
        inner = key.shape if key is not None and not here.around.quote else None
    for rank, value in enumerate(values(here, inner) if inner is not None else ()):
        text = _text(here.around, value, fields)
        if text is not None:
            yield Item(
                value.text, value.kind, text, here.around.span, value.documentation, "", value.detail, f"{rank:04}",
                id=value.id,
            )  # fmt: skip


def _text(around: Around, value: Value, fields: Fields | None) -> str | None:
    """A value as it is written at the cursor; None where that can't be."""
    literal = value.text in ("true", "false") and value.kind == "value"
    text = value.text if literal else written(value.text, around)
    if text is None or (fields is not None and any(case.needs for case in fields.cases if case.value == value.text)):
        return None
    if fields is not None:
        text = f"{{{fields.bare}: {text}}}"
    return f"{around.lead}{text}{around.tail}"
