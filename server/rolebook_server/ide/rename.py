"""Rename: an agent, a state key or a definition file, in every file that names it, once the result has been verified.

The workspace is read as it would be: it must have the same trees with that one name changed, and no problem more.
Else there is a refusal that says why.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from rolebook.definition.edges import edge_texts
from rolebook.definition.names import agent_name_problem
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.text import Span, Text
from rolebook_server.ide.changes import Change, Changes, Refusal, text_of
from rolebook_server.ide.file_rename import moved
from rolebook_server.ide.names import bare_span, names
from rolebook_server.ide.occurrences import At, Occurrence, Thing, occurrences, thing_at
from rolebook_server.ide.renames.shared import sharing
from rolebook_server.ide.renames.verify import verified_agent, verified_key

_SCOPE = re.compile(r"(?:app|user|temp):")
_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_QUOTES = "`\"'”’*"
_ENDINGS = (".yaml", ".yml", ".agent.md")
_ELSEWHERE = {
    "function": "`{}` is a name in Python: rename it there",
    "tool": "`{}` is the name of a tool, which comes from its function",
    "artifact": "`{}` is a file that a run makes, so nothing here can rename it",
    "rule": "`{}` is a rule of Rolebook",
}


class Renamable(Record):
    """What can be renamed: the span to select, and its text, which a new name takes the place of."""

    span: Span
    text: str


def prepare(snapshot: Snapshot, path: str, offset: int) -> Renamable | Refusal | None:
    """What a rename at `offset` is about; a refusal for what has a name that can't be changed here, None elsewhere."""
    at = thing_at(snapshot, path, offset)
    if at is None:
        return None
    refusal = _refused(snapshot, at)
    if refusal is not None:
        return refusal
    span = _own_span(at)
    written = text_of(snapshot, path)[span.start : span.end]
    own = at.name[len(at.name) - (span.end - span.start) :]
    if written != own:
        return Refusal(f"`{at.name}` is written with escapes here")
    return Renamable(span, written)


def rename(snapshot: Snapshot, path: str, offset: int, new: str, paths: Iterable[str] = ()) -> Changes | Refusal:
    """The edits that give what is named at `offset` the name `new`.

    `paths` are the definitions of the workspace: a state key may be shared by trees that know nothing of each other.
    """
    ready = prepare(snapshot, path, offset)
    at = thing_at(snapshot, path, offset)
    if ready is None or at is None:
        return Refusal("there is nothing here that has a name")
    if isinstance(ready, Refusal):
        return ready
    if ready.text == new:
        return Changes()
    if at.kind == "agent":
        return _agent(snapshot, at.things[0], new)
    if at.kind == "state":
        return _key(snapshot, path, at, new, tuple(paths))
    return _file(snapshot, path, at.things[0], new)


def _refused(snapshot: Snapshot, at: At) -> Refusal | None:
    if at.kind in _ELSEWHERE:
        return Refusal(_ELSEWHERE[at.kind].format(at.name))
    if not at.things:
        return Refusal(f"no agent `{at.name}` is known here")
    if len(at.things) > 1:
        return Refusal(f"`{at.name}` means several agents here: rename each where it is defined")
    if at.kind == "file" and snapshot.exists(at.things[0].path) is None:
        return Refusal(f"there is no file `{at.name}`")
    return None


def _own_span(at: At) -> Span:
    """The name without a scope of state, which a rename leaves as it is."""
    scope = _SCOPE.match(at.name) if at.kind == "state" else None
    return Span(at.span.start + scope.end(), at.span.end) if scope is not None else at.span


def _agent(snapshot: Snapshot, thing: Thing, new: str) -> Changes | Refusal:
    problem = agent_name_problem(new)
    if problem is not None:
        return Refusal(problem)
    taken = _namesake(snapshot, thing, new)
    if taken is not None:
        return Refusal(f"`{new}` is the name of another agent in the same tree, in {os.path.basename(taken)}")
    found = [each for each in occurrences(snapshot, (thing,)) if each.kind == "agent"]
    meant = [each for each in found if _is_meant(snapshot, each)]
    changes = _replaced(snapshot, thing.name, new, [*meant, *_in_edges(snapshot, thing)])
    return changes if isinstance(changes, Refusal) else verified_agent(snapshot, thing, new, changes)


def _namesake(snapshot: Snapshot, thing: Thing, new: str) -> str | None:
    """The file of an agent that has the name already, in a tree of the agent's."""
    for tree in snapshot.trees_with(thing.path):
        if (other := tree.named(new)) is not None:
            return other.agent.path
    return None


def _in_edges(snapshot: Snapshot, thing: Thing) -> Iterator[Occurrence]:
    """The agent's name among the edges of the workflow that it is a part of."""
    seen: set[Span] = set()
    for tree in snapshot.trees_with(thing.path):
        for place in tree.in_file(thing.path):
            parent = tree.parent(place) if place.agent.span == thing.span else None
            if parent is None:
                continue
            for node in edge_texts(parent.agent.entries.get("edges")):
                if node.text.text == thing.name and node.span not in seen:
                    seen.add(node.span)
                    yield Occurrence(parent.agent.path, bare_span(node), "read", "agent")


def _is_meant(snapshot: Snapshot, occurrence: Occurrence) -> bool:
    """Whether a mention is the name itself: what other agents read of an agent is prose, unless it marks the name."""
    if not occurrence.prose or _is_marked(snapshot, occurrence):
        return True
    source = snapshot.source(occurrence.path)
    found = names(snapshot, source) if source is not None else ()
    return not any(name.span == occurrence.span and name.key == "description" for name in found)


def _is_marked(snapshot: Snapshot, occurrence: Occurrence) -> bool:
    """Whether the name stands in quotes or as code."""
    text, span = text_of(snapshot, occurrence.path), occurrence.span
    return text[span.end : span.end + 1] in _QUOTES and text[span.end : span.end + 1] != ""


def _key(snapshot: Snapshot, path: str, at: At, new: str, paths: tuple[str, ...]) -> Changes | Refusal:
    scope = _SCOPE.match(at.name)
    prefix = scope.group() if scope is not None else ""
    own = new.removeprefix(prefix) if prefix else new
    if _KEY.fullmatch(own) is None:
        return Refusal(
            f"`{new}` is no name for a state key: letters of ASCII, digits and `_`, not starting with a digit"
        )
    key = prefix + own
    things = sharing(snapshot, Thing("state", at.name, path), paths)
    other = occurrences(snapshot, (Thing("state", key, thing.path) for thing in things), paths)
    if other:
        return Refusal(f"there is a state key `{key}` already, {_place(snapshot, other[0])}")
    found = occurrences(snapshot, things, paths)
    changes = _replaced(snapshot, at.name, key, found)
    return changes if isinstance(changes, Refusal) else verified_key(snapshot, things, at.name, key, changes, paths)


def _file(snapshot: Snapshot, path: str, thing: Thing, new: str) -> Changes | Refusal:
    if os.path.isabs(new) or not new.strip() or "\\" in new or any(ord(char) < 32 for char in new):
        return Refusal("write a path relative to this file, with `/` between folders")
    if not new.endswith(_ENDINGS):
        return Refusal(f"`{new}` is no name for a definition: it ends in {', '.join(f'`{end}`' for end in _ENDINGS)}")
    target = os.path.normpath(os.path.join(os.path.dirname(path), new))
    if snapshot.exists(target) is not None:
        return Refusal(f"there is a file `{new}` already")
    return moved(snapshot, [(thing.path, target)], move=True)


def _replaced(snapshot: Snapshot, old: str, new: str, found: Iterable[Occurrence]) -> Changes | Refusal:
    """Every occurrence replaced; those in Python and in prose are to be confirmed."""
    edits: dict[str, list[Change]] = {}
    for each in found:
        text = text_of(snapshot, each.path)
        written = text[each.span.start : each.span.end]
        if written != old:
            what = "by another name" if each.path.endswith(".py") else "with escapes"
            return Refusal(f"`{old}` is written {what} {_place(snapshot, each)}: change it there first")
        edits.setdefault(each.path, []).append(Change(each.span, new, _to_confirm(snapshot, each)))
    return Changes({path: tuple(sorted(each, key=lambda change: change.span)) for path, each in edits.items()})


def _to_confirm(snapshot: Snapshot, occurrence: Occurrence) -> str:
    if occurrence.path.endswith(".py"):
        return "In Python source"
    return "In prose" if occurrence.prose and not _is_marked(snapshot, occurrence) else ""


def _place(snapshot: Snapshot, occurrence: Occurrence) -> str:
    line = Text(text_of(snapshot, occurrence.path)).line_of(occurrence.span.start) + 1
    return f"in {os.path.basename(occurrence.path)}, line {line}"
