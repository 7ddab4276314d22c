"""Fixtures for the editor's features: a text with `$0` where the cursor is, and files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from build import ROOT, snapshot

from rolebook.project.snapshot import Snapshot
from rolebook.text import Span

PATH = f"{ROOT}/root_agent.yaml"


def at_cursor(text: str, **others: str) -> tuple[Snapshot, str, int]:
    """The snapshot, the path and the offset that `text` stands for."""
    offset = text.index("$0")
    files = {"root_agent.yaml": text.replace("$0", "", 1), **{f"{name}.yaml": other for name, other in others.items()}}
    return snapshot(files), PATH, offset


class Scene(NamedTuple):
    """Files, a cursor in one of them, and the spans that are marked with `«` and `»` by file name."""

    snapshot: Snapshot
    path: str
    offset: int
    marks: dict[str, list[Span]]
    paths: tuple[str, ...]

    def names(self, places: Iterable[tuple[str, Span]]) -> dict[str, list[Span]]:
        """Places by file name, in the form of `marks`."""
        found: dict[str, list[Span]] = {}
        for path, span in places:
            found.setdefault(path.removeprefix(f"{ROOT}/"), []).append(span)
        return {name: sorted(spans) for name, spans in found.items()}

    def words(self, places: Iterable[tuple[str, Span]]) -> list[str]:
        """What stands at these places, as `file: text`, for messages that can be read."""
        return [f"{path.removeprefix(f'{ROOT}/')}: {self.text(path)[start:end]!r}" for path, (start, end) in places]

    def text(self, path: str) -> str:
        text = self.snapshot.read(path)
        assert isinstance(text, str)
        return text


def scene(text: str, newline: str = "\n") -> Scene:
    """Several files in one text, each after a line `=== NAME`; what stands before the first is `root_agent.yaml`.

    `$0` is the cursor.
    """
    parts = re.split(r"^=== (\S+)\n", text, flags=re.MULTILINE)
    written = {"root_agent.yaml": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    files, marks, cursor = {}, {}, (PATH, 0)
    for name, body in written.items():
        plain, spans, opened = "", [], []
        for piece in re.split(r"(«|»|\$0)", body.replace("\n", newline)):
            if piece == "«":
                opened.append(len(plain))
            elif piece == "»":
                spans.append(Span(opened.pop(), len(plain)))
            elif piece == "$0":
                cursor = (f"{ROOT}/{name}", len(plain))
            else:
                plain += piece
        if plain or len(parts) == 1 or name in parts[1::2]:
            files[name] = plain
        if spans:
            marks[name] = sorted(spans)
    paths = tuple(f"{ROOT}/{name}" for name in files if not name.endswith((".py", ".toml")))
    return Scene(snapshot(files), *cursor, marks, paths)
