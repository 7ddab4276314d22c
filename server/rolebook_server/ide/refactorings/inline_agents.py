"""An inline agent to a file of its own, and a sub-agent's file back into the definition that names it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rolebook.definition.agent import Agent, Reference
from rolebook.project.references import resolve
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.syntax.yaml import Mapping, Node, Scalar, Sequence
from rolebook.text import Edit, Span, apply
from rolebook_server.ide.changes import Change, Changes, Refusal, line_end, with_line_ends
from rolebook_server.ide.file_rename import moved
from rolebook_server.ide.names import names
from rolebook_server.ide.refactorings.blocks import column_of, dedented, indented, whole_lines
from rolebook_server.ide.refactorings.markdown import as_yaml
from rolebook_server.ide.refactorings.offer import Offer, Where
from rolebook_server.ide.refactorings.same import same_requests

_START = re.compile(r"\ufeff?(?:---[ \t]*(?:\r\n|\n|\r))?")


def offers(where: Where) -> Iterator[Offer]:
    found = where.found
    if found is None or not os.path.isabs(where.path):  # a buffer that was never saved has no folder
        return
    if found.agent is not where.source.agent and found.agent.name:
        name = _free_name(where.snapshot, where.path, found.agent.name)
        title = f"Move `{found.agent.name}` to `{name}`"
        yield Offer(
            "move-out", title, "refactor.extract", lambda: move_out(where.snapshot, where.path, found.agent, name)
        )
    reference = _reference_at(where)
    if reference is not None:
        target = resolve(where.path, reference.target)
        if where.snapshot.exists(target) == "file" and target != where.path:
            title = f"Write `{reference.target}` in here"
            yield Offer("move-in", title, "refactor.inline", lambda: move_in(where.snapshot, where.path, reference))


def move_out(snapshot: Snapshot, path: str, agent: Agent, name: str) -> Changes | Refusal:
    """The inline `agent` of the file at `path` in a new file `name` beside it."""
    source = snapshot.source(path)
    if source is None:
        return Refusal("the file is gone")
    text = source.text
    column = column_of(text, agent.span.start)
    flow = text.source[agent.span.start : agent.span.start + 1] == "{"
    span = agent.span if flow else whole_lines(text, agent.span, column)
    body = dedented(text[span], column) + line_end(text.source)
    written = f"{{config_path: {name}}}" if flow else f"config_path: {name}"
    created = os.path.join(os.path.dirname(path), name)
    changes = Changes({path: (Change(span, written),)}, {created: body})
    return same_requests(snapshot, path, changes)


def move_in(snapshot: Snapshot, path: str, reference: Reference) -> Changes | Refusal:
    """The file that `reference` names, written in its place. It goes where nothing else names it."""
    source = snapshot.source(path)
    target = resolve(path, reference.target)
    other = snapshot.source(target)
    item = _item_of(source, reference) if source is not None else None
    if source is None or other is None or item is None:
        return Refusal("this sub-agent can't be written in here")
    definition = _with_paths_of(snapshot, other, path)
    if isinstance(definition, Refusal):
        return definition
    text = source.text
    column = column_of(text, item.span.start)
    end = line_end(text.source)
    body = with_line_ends(indented(definition.strip("\r\n"), column), end)
    last = text.line_span(text.line_of(max(item.span.end - 1, item.span.start)))
    edits = (Change(Span(item.span.start, min(item.span.end, last.end)), body),)
    alone = snapshot.referrers(target) == (path,) and _count(source, target) == 1
    return same_requests(snapshot, path, Changes({path: edits}, deleted=(target,) if alone else ()))


def _reference_at(where: Where) -> Reference | None:
    """The sub-agent's file whose item the selection stands in, in a list of one item a line."""
    found = where.found
    if found is None or found.key not in ("sub_agents", "agents") or len(found.entries) != 2:
        return None
    for child in found.agent.sub_agents:
        if isinstance(child, Reference) and child.kind == "config_path" and child.span == found.entries[1].value.span:
            item = _item_of(where.source, child)
            return child if item is not None else None
    return None


def _item_of(source: Source, reference: Reference) -> Mapping | None:
    """The item of a block list that is a reference and nothing more."""
    pending: list[Node] = [source.document.root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Sequence):
            for item in node.items:
                entry = item.get("config_path") if isinstance(item, Mapping) and len(item.entries) == 1 else None
                if entry is not None and entry.value.span == reference.span and not node.flow:
                    return item if isinstance(item, Mapping) else None
            pending += node.items
        else:
            pending += [entry.value for entry in node.entries]
    return None


def _with_paths_of(snapshot: Snapshot, source: Source, path: str) -> str | Refusal:
    """A definition's text as YAML, with its paths and dotted names as the file at `path` would write them."""
    edits = [Edit(change.span, change.text) for change in _moved_paths(snapshot, source, path)]
    here, there = snapshot.python(path), snapshot.python(source.path)
    prefix = os.path.relpath(os.path.dirname(source.path), os.path.dirname(path)).replace(os.sep, ".")
    for name in names(snapshot, source):
        if name.kind != "function" or source.text[name.span] != name.text:
            continue
        meant = there.binding(name.text)
        if meant is None or here.binding(name.text) == meant:
            continue
        longer = f"{prefix}.{name.text.removeprefix('.')}"
        if here.binding(longer) != meant:
            return Refusal(f"`{name.text}` would lead to another function from there")
        edits.append(Edit(name.span, longer))
    text = apply(source.text.source, edits)
    if source.path.endswith(".md"):
        return as_yaml(text) or Refusal("the body of this file can't be written as a block text")
    begin = _START.match(text)
    return text[begin.end() :] if begin is not None else text


def _moved_paths(snapshot: Snapshot, source: Source, path: str) -> tuple[Change, ...]:
    """The edits of a definition's own paths if it stood in the folder of `path`."""
    there = os.path.join(os.path.dirname(path), os.path.basename(source.path))
    if there == source.path:
        return ()
    return moved(snapshot, [(source.path, there)]).edits.get(source.path, ())


def _count(source: Source, target: str) -> int:
    return sum(resolve(source.path, reference.target) == target for reference in source.references)


def _free_name(snapshot: Snapshot, path: str, name: str) -> str:
    """A name for a new file beside the one at `path`."""
    folder = os.path.dirname(path)
    candidates = (f"{name}{'' if number == 1 else f'_{number}'}.yaml" for number in range(1, 1000))
    return next(each for each in candidates if snapshot.exists(os.path.join(folder, each)) is None)
