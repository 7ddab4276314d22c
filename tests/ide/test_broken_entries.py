"""Breaking one entry of a definition leaves hover, symbols and completion of every other entry as they were."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import files, needs_corpus

from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.syntax.yaml import Entry, Mapping
from rolebook.text import Edit, Span, apply
from rolebook_server.ide.completion import completion
from rolebook_server.ide.hover import hover
from rolebook_server.ide.symbols import symbols

FILES = files()[:: max(len(files()) // 10, 1)][:10]
WAYS = {
    "missing value": "",
    "open quote": " 'open",
    "unquoted colon": " Note: use tools",
    "text after a brace": " {x} hello",
    "bad indentation": " |\n    one\n  two",
    "stray tab": "\n\t- x",
    "missing bracket": " [a, b",
}


def broken(text: str, root: Mapping) -> Iterator[tuple[str, str, str]]:
    """The name of each top-level entry, a way to break it, and the text with its value broken in that way."""
    for entry in root.entries:
        end = len(text[: entry.span.end].rstrip())
        for way, value in WAYS.items():
            yield entry.name or "", way, apply(text, [Edit(Span(entry.key.span.end, end), ":" + value)])


def entries(snapshot: Snapshot, path: str) -> dict[str, Entry]:
    source = snapshot.source(path)
    root = source.document.root if source is not None else None
    return {entry.name or "": entry for entry in root.entries} if isinstance(root, Mapping) else {}


def seen(snapshot: Snapshot, path: str, entry: Entry) -> list[Any]:
    """What the editor shows of one entry, without its place: a broken neighbour may move it."""
    source = snapshot.source(path)
    assert source is not None
    key_hover = hover(snapshot, path, entry.key.span.start + 1)
    names = [symbol for symbol in symbols(source)[0].children if symbol.selection == entry.key.span]
    proposals = completion(snapshot, path, entry.key.span.end)
    return [
        key_hover and key_hover.markdown,
        [(symbol.name, symbol.detail, len(symbol.children)) for symbol in names],
        [item.label for item in proposals if item.label == entry.name],
    ]


@needs_corpus
@pytest.mark.parametrize("file", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_the_other_entries_stay(file: Path) -> None:
    path, text = str(file), file.read_text(encoding="utf-8")
    whole = Snapshot(DiskFiles(), os.path.dirname(path)).with_texts({path: text})
    before = {name: seen(whole, path, entry) for name, entry in entries(whole, path).items()}
    source = whole.source(path)
    assert source is not None and isinstance(source.document.root, Mapping)
    for name, way, mistake in broken(text, source.document.root):
        snapshot = whole.with_texts({path: mistake})
        found = entries(snapshot, path)
        assert name in found, f"{way}: the key `{name}` itself is lost"
        after = {other: seen(snapshot, path, entry) for other, entry in found.items() if other != name}
        assert after == {other: value for other, value in before.items() if other != name}, f"{name}: {way}"
