"""What a name at an offset means, and every place in the workspace that names the same.

References, highlights, rename and the counts of code lenses stand on this. A thing is told apart by what holds it: an
agent by its definition, a function by its place in a Python file, a state key by the trees that share its state.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from rolebook.definition.agent import Agent, Provider
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.references import resolve
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import functions
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.text import NOWHERE, Span, Text
from rolebook_server.ide.names import Access, Name, NameKind, names
from rolebook_server.ide.python_reads import reads

_MOST_PLACES = 100
"""Places of one definition that are asked what a name means there; those beyond are like them."""


class Thing(Record):
    """What a name means. `path` and `span` are its home.

    For an agent that is its definition; for a function the Python file and the name there, both empty where the
    workspace has no source; for a tool that is declared in place the definition that declares it; for a file its own
    path. A state key, an artifact and a rule have no one home: `path` is where they were asked for.
    """

    kind: NameKind
    name: str
    path: str = ""
    span: Span = NOWHERE


class Occurrence(Record):
    """A place that names a thing, without quotes. `kind` is that of the name which stands there: an agent is also meant
    where its file is named. What is written may differ from the thing's name (a Python constant, a re-export)."""

    path: str
    span: Span
    access: Access
    kind: NameKind
    prose: bool = False


class At(Record):
    """The name at an offset, its span, and what it means: several things where the file stands in several trees."""

    name: str
    kind: NameKind
    span: Span
    access: Access
    things: tuple[Thing, ...]


def thing_at(snapshot: Snapshot, path: str, offset: int) -> At | None:
    """What is named at `offset` of a definition or of a `rolebook.toml`. None elsewhere."""
    if os.path.basename(path) in CONFIG_NAMES:
        return _in_config(snapshot, path, offset)
    source = snapshot.source(path)
    around = [name for name in names(snapshot, source) if name.span.holds(offset)] if source is not None else []
    if not around:
        return None
    name = min(around, key=lambda name: (name.span.end - name.span.start, -name.span.start))
    return At(name.text, name.kind, name.span, name.access, meanings(snapshot, path, name))


def meanings(snapshot: Snapshot, path: str, name: Name) -> tuple[Thing, ...]:
    """What a name in the file at `path` means, each thing once."""
    match name.kind:
        case "agent":
            agents = agents_named(snapshot, path, name)
            return tuple(Thing("agent", agent.name, agent.path, agent.span) for agent in agents)
        case "file":
            return (Thing("file", name.text, resolve(path, name.text)),)
        case "function":
            return (_function(snapshot, path, name.text),)
        case "tool":
            return (_tool(snapshot, path, name),)
        case _:
            return (Thing(name.kind, name.text, path),)


def agents_named(snapshot: Snapshot, path: str, name: Name) -> tuple[Agent, ...]:
    """The agents that an agent's name means: the definition whose name it is, or in each tree the nearest of that
    name, the agent's own surroundings first."""
    if name.access == "declare":
        return (name.agent,)
    found: dict[tuple[str, Span], Agent] = {}
    for tree in snapshot.trees_with(path):
        for place in tree.of(name.agent)[:_MOST_PLACES]:
            if (meant := nearest_named(tree, place, name.text)) is not None:
                found.setdefault((meant.agent.path, meant.agent.span), meant.agent)
    return tuple(found.values())


def nearest_named(tree: Tree, place: Place, name: str) -> Place | None:
    """The place of an agent of this name: among the agent itself, its parent, peers and children before any other."""
    named = tree.all_named(name)
    around = (place.index, place.parent)
    near = (other for other in named if other.index in around or (other.parent is not None and other.parent in around))
    return next(near, named[0] if named else None)


def occurrences(snapshot: Snapshot, things: Iterable[Thing], paths: Iterable[str] = ()) -> tuple[Occurrence, ...]:
    """Every place that names one of `things`, once, by file and offset.

    `paths` are the definitions of the workspace. Agents, state keys and files are found in their trees without them;
    Python objects, tools and rules are looked for in these files, and in the trees of the file that was asked.
    """
    known = tuple(dict.fromkeys(paths))
    found: dict[tuple[str, Span], Occurrence] = {}
    for thing in things:
        for each in _of(snapshot, thing, known):
            found.setdefault((each.path, each.span), each)
    return tuple(sorted(found.values(), key=lambda each: (each.path, each.span)))


def _of(snapshot: Snapshot, thing: Thing, paths: tuple[str, ...]) -> Iterator[Occurrence]:
    match thing.kind:
        case "agent":
            yield from _of_agent(snapshot, thing)
        case "file":
            yield from _of_file(snapshot, thing.path)
        case "state" | "artifact":
            yield from _of_key(snapshot, thing, paths)
        case "rule":
            yield from _of_rule(snapshot, thing, paths)
        case _:
            yield from _of_tool(snapshot, thing, paths)


def _of_agent(snapshot: Snapshot, thing: Thing) -> Iterator[Occurrence]:
    for path in _files(snapshot.trees_with(thing.path)):
        for name in _names_with(snapshot, path, thing.name):
            if name.kind == "agent" and name.text == thing.name and thing in meanings(snapshot, path, name):
                yield _occurrence(path, name)
    source = snapshot.source(thing.path)
    if source is not None and source.agent.span == thing.span:
        yield from _of_file(snapshot, thing.path)


def _of_file(snapshot: Snapshot, path: str) -> Iterator[Occurrence]:
    for referrer in snapshot.referrers(path):
        source = snapshot.source(referrer)
        for name in names(snapshot, source) if source is not None else ():
            if name.kind == "file" and resolve(referrer, name.text) == path:
                yield _occurrence(referrer, name)


def _of_key(snapshot: Snapshot, thing: Thing, paths: tuple[str, ...]) -> Iterator[Occurrence]:
    """A key of state in all trees that share it: a file that names it brings in the other trees that it stands in."""
    pending = list(_trees_of_key(snapshot, thing, paths))
    seen_trees: set[str] = set()
    seen_files: set[str] = set()
    while pending:
        tree = pending.pop()
        if tree.root.agent.path in seen_trees:
            continue
        seen_trees.add(tree.root.agent.path)
        for path in _files((tree,)):
            if path in seen_files:
                continue
            seen_files.add(path)
            named = [
                name
                for name in _names_with(snapshot, path, thing.name)
                if name.kind == thing.kind and name.text == thing.name
            ]
            yield from (_occurrence(path, name) for name in named)
            pending += snapshot.trees_with(path) if named else ()
        if thing.kind == "state":
            yield from _outside(snapshot, tree, thing.name)


def _trees_of_key(snapshot: Snapshot, thing: Thing, paths: tuple[str, ...]) -> Iterator[Tree]:
    if os.path.basename(thing.path) not in CONFIG_NAMES:
        yield from snapshot.trees_with(thing.path)
        return
    for path in paths:
        if snapshot.config(path).path == thing.path and not snapshot.referrers(path):
            tree = snapshot.tree(path)
            if tree is not None:
                yield tree


def _outside(snapshot: Snapshot, tree: Tree, key: str) -> Iterator[Occurrence]:
    """A key of state in the configuration and in the Python sources of a tree."""
    for setter in snapshot.state_keys(tree).setters.get(key, ()):
        if setter.kind == "tool":
            yield Occurrence(setter.path, unquoted(snapshot, setter.path, setter.span), "write", "state")
        elif setter.kind == "config":
            text = snapshot.read(setter.path)
            if isinstance(text, str):
                yield Occurrence(setter.path, tree.config.key_span(text, "state", key), "declare", "state")
    for path in _python_files(snapshot, tree):
        text = snapshot.read(path)
        if isinstance(text, str) and key in text:
            yield from (Occurrence(path, span, "read", "state") for span in reads(text, key))


def _python_files(snapshot: Snapshot, tree: Tree) -> Iterator[str]:
    """The files of the functions that run as a part of a tree, each once."""
    seen: set[str] = set()
    asked: set[tuple[str, str]] = set()
    for place in tree:
        agent = place.agent
        called = [name for name, _ in functions(agent)]
        called += [
            given.function
            for given in (agent.instruction, agent.global_instruction, agent.tools)
            if isinstance(given, Provider)
        ]
        for name in called:
            if (agent.path, name) in asked:
                continue
            asked.add((agent.path, name))
            found = snapshot.python(agent.path).function(name)
            if found is not None and found.path not in seen:
                seen.add(found.path)
                yield found.path


def unquoted(snapshot: Snapshot, path: str, span: Span) -> Span:
    """A Python string's span without its quotes, if it is a plain one; the place of a constant stays as it is."""
    text = snapshot.read(path)
    written = text[span.start : span.end] if isinstance(text, str) else ""
    if len(written) >= 2 and written[0] == written[-1] and written[0] in "'\"" and written[0] not in written[1:-1]:
        return Span(span.start + 1, span.end - 1)
    return span


def _of_rule(snapshot: Snapshot, thing: Thing, paths: tuple[str, ...]) -> Iterator[Occurrence]:
    configs: set[str] = set()
    for path in _with_own(snapshot, thing.path, paths):
        for name in _names_with(snapshot, path, thing.name):
            if name.kind == "rule" and name.text == thing.name:
                yield _occurrence(path, name)
        config = snapshot.config(path)
        text = snapshot.read(config.path) if config.path and config.path not in configs else None
        configs.add(config.path)
        if isinstance(text, str) and thing.name in config.rules:
            yield Occurrence(config.path, config.key_span(text, "rules", thing.name), "write", "rule")


def _of_tool(snapshot: Snapshot, thing: Thing, paths: tuple[str, ...]) -> Iterator[Occurrence]:
    """A Python object or a tool: where definitions name it, and where it is written in Python."""
    own = thing.name.rpartition(".")[2]
    if thing.kind == "function" and thing.path:
        yield Occurrence(thing.path, thing.span, "declare", "function")
    for path in _with_own(snapshot, thing.path, paths):
        for name in _names_with(snapshot, path, own):
            if name.kind in ("function", "tool") and thing in meanings(snapshot, path, name):
                yield _occurrence(path, name)


def _function(snapshot: Snapshot, path: str, dotted: str) -> Thing:
    found = snapshot.python(path).binding(dotted) if _is_dotted(dotted) else None
    if found is None:
        return Thing("function", dotted)
    return Thing("function", found.name or dotted, found.path, found.span)


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.removeprefix(".").split("."))


def _tool(snapshot: Snapshot, path: str, name: Name) -> Thing:
    """The tool that the model calls by a name: declared in place, a Python function, an agent, or a built-in one."""
    for tool in name.agent.tools if isinstance(name.agent.tools, tuple) else ():
        if tool.declared and tool.name == name.text:
            return Thing("tool", name.text, path, name.agent.span)
        if tool.name.rpartition(".")[2] == name.text and "." in tool.name:
            return _function(snapshot, path, tool.name)
    return Thing("tool", name.text)


def _in_config(snapshot: Snapshot, path: str, offset: int) -> At | None:
    text, config = snapshot.read(path), snapshot.config(path)
    if not isinstance(text, str) or config.path != path:
        return None
    kinds: tuple[tuple[NameKind, str, Access, Iterable[str]], ...] = (
        ("state", "state", "declare", config.state),
        ("rule", "rules", "write", config.rules),
    )
    lines = Text(text)
    line = lines[lines.line_span(lines.line_of(offset))]
    for kind, table, access, keys in kinds:
        for key in (key for key in keys if key in line):
            span = config.key_span(text, table, key)
            if span.holds(offset) and text[span.start : span.end] == key:
                return At(key, kind, span, access, (Thing(kind, key, path),))
    return None


def _files(trees: Iterable[Tree]) -> dict[str, None]:
    """The definitions that stand in these trees, each once."""
    return {place.agent.path: None for tree in trees for place in tree}


def _with_own(snapshot: Snapshot, path: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The definitions of the workspace, and those around the one that was asked."""
    if path.endswith(".py") or not path:
        return paths
    return tuple(dict.fromkeys((*paths, *_files(snapshot.trees_with(path)))))


def _names_with(snapshot: Snapshot, path: str, word: str) -> tuple[Name, ...]:
    """The names of a file if it spells `word` at all: most files needn't be looked at."""
    source = snapshot.source(path) if may_spell(snapshot, path, word) else None
    return names(snapshot, source) if source is not None else ()


def may_spell(snapshot: Snapshot, path: str, word: str) -> bool:
    """Whether a name that reads as `word` may stand in a file; one with an escape may be any."""
    text = snapshot.read(path)
    return isinstance(text, str) and (word in text or "\\" in text)


def _occurrence(path: str, name: Name) -> Occurrence:
    return Occurrence(path, name.span, name.access, name.kind, name.prose)
