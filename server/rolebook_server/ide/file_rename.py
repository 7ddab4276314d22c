"""Files and folders that move: the paths in definitions that follow them, be it in other files or in those that move.

Edits are counted in the texts as they are before the move, as `workspace/willRenameFiles` wants them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from rolebook.project.discover import is_definition
from rolebook.project.references import resolve
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.text import Span
from rolebook_server.ide.changes import Change, Changes, text_of
from rolebook_server.ide.names import Name, names

_ENDINGS = (".yaml", ".yml", ".agent.md")


def moved(
    snapshot: Snapshot, moves: Iterable[tuple[str, str]], paths: Iterable[str] = (), *, move: bool = False
) -> Changes:
    """The edits for files or folders that go from an old to a new path. With `move`, the files themselves as well.

    `paths` are the definitions of the workspace. Those that name a moved file are found without them, but not the ones
    inside of a moved folder. A path keeps its form where what it means hasn't moved against its file.
    """
    pairs = [(os.path.normpath(old), os.path.normpath(new)) for old, new in moves]
    known = tuple(paths)
    edits: dict[str, tuple[Change, ...]] = {}
    for path in _affected(snapshot, pairs, known):
        source = snapshot.source(path)
        found = tuple(_followed(snapshot, source, pairs)) if source is not None else ()
        if found:
            edits[path] = found
    return Changes(edits, renamed=tuple(pairs) if move else ())


def _affected(snapshot: Snapshot, pairs: list[tuple[str, str]], paths: tuple[str, ...]) -> dict[str, None]:
    """The definitions that move, and those that name one that does."""
    found: dict[str, None] = {}
    for old, _ in pairs:
        inside = [path for path in paths if _is_below(path, old)]
        if old.endswith(_ENDINGS) and snapshot.exists(old) == "file":
            inside.append(old)
        for path in inside:
            if is_definition(snapshot, path):
                found[path] = None
            found |= dict.fromkeys(snapshot.referrers(path))
    return found


def _followed(snapshot: Snapshot, source: Source, pairs: list[tuple[str, str]]) -> Iterator[Change]:
    """The paths of one file as they must be after the moves."""
    path = source.path
    now = _after(path, pairs)
    done: set[Span] = set()
    for name in names(snapshot, source):
        if name.kind != "file" or os.path.isabs(name.text) or name.span in done:
            continue
        done.add(name.span)
        target = resolve(path, name.text)
        goes_to = _after(target, pairs)
        if resolve(now, name.text) == goes_to or (target == goes_to and snapshot.exists(target) is None):
            continue
        relative = os.path.relpath(goes_to, os.path.dirname(now)).replace(os.sep, "/")
        if (written := _as_written(snapshot, path, name, relative)) is not None:
            yield Change(name.span, written)


def _as_written(snapshot: Snapshot, path: str, name: Name, relative: str) -> str | None:
    """The new path in the form and the quotes of the old one; None where it can't stand there."""
    text = text_of(snapshot, path)
    if text[name.span.start : name.span.end] != name.text:
        return None  # escapes: what the file means can't be told by looking at it
    relative = f"./{relative}" if name.text.startswith("./") and not relative.startswith("..") else relative
    before = text[name.span.start - 1 : name.span.start]
    if before == "'":
        return relative.replace("'", "''")
    if before == '"':
        return relative.replace("\\", "\\\\").replace('"', '\\"')
    from rolebook_server.ide.completions.scalars import written

    return written(relative)


def _after(path: str, pairs: list[tuple[str, str]]) -> str:
    """Where a path leads once everything has moved; the deepest of the moves around it counts."""
    for old, new in sorted(pairs, key=lambda pair: len(pair[0]), reverse=True):
        if _is_below(path, old):
            return new + path[len(old) :]
    return path


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
