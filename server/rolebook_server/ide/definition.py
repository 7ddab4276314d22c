"""Definition and declaration: from a name to where what it names is written."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.project.snapshot import Snapshot
from rolebook.project.state import Setter
from rolebook.record import Record
from rolebook.text import NOWHERE, Span
from rolebook_server.ide.anchors import use_at
from rolebook_server.ide.names import names
from rolebook_server.ide.occurrences import At, Thing, thing_at, unquoted


class Target(Record):
    """`span` is all that is defined in the file at `path`, `selection` its name within it; `origin` is the name that
    was asked about."""

    path: str
    span: Span
    selection: Span
    origin: Span


def definition(snapshot: Snapshot, path: str, offset: int) -> tuple[Target, ...]:
    """Where what is named at `offset` is defined. A state key is defined by all that set it, nearest meaning first;
    what defines it itself leads to itself, where editors then offer the references."""
    return tuple(_found(snapshot, path, offset, ("state", "config", "output_key", "tool")))


def declaration(snapshot: Snapshot, path: str, offset: int) -> tuple[Target, ...]:
    """As `definition`, but of a state key only where it is declared: below `state` and in the configuration. Without
    any declaration it is the definition."""
    declared = tuple(_found(snapshot, path, offset, ("state", "config")))
    return declared or definition(snapshot, path, offset)


def _found(snapshot: Snapshot, path: str, offset: int, kinds: tuple[str, ...]) -> Iterator[Target]:
    at = thing_at(snapshot, path, offset)
    if at is None:
        yield from _anchor(snapshot, path, offset)
    elif at.kind == "state":
        yield from _setters(snapshot, path, at, kinds)
    else:
        for thing in at.things:
            yield from _home(snapshot, path, at, thing)


def _home(snapshot: Snapshot, path: str, at: At, thing: Thing) -> Iterator[Target]:
    match thing.kind:
        case "agent":
            source = snapshot.source(thing.path)
            agents = source.agents if source is not None else ()
            agent = next((agent for agent in agents if agent.span == thing.span), None)
            if agent is not None:
                yield Target(thing.path, around(agent.span, agent.name_span), agent.name_span, at.span)
        case "file":
            if snapshot.exists(thing.path) == "file":
                source = snapshot.source(thing.path)
                name = source.agent.name_span if source is not None else NOWHERE
                whole = around(source.agent.span, name) if source is not None else NOWHERE
                yield Target(thing.path, whole, name, at.span)
        case "function":
            if thing.path:
                yield Target(thing.path, thing.span, thing.span, at.span)
        case "tool":
            home = snapshot.source(thing.path) if thing.path else None
            for written in names(snapshot, home) if home is not None else ():
                declares = written.kind == "tool" and written.access == "declare" and written.text == thing.name
                if declares and written.agent.span == thing.span:
                    yield Target(thing.path, written.span, written.span, at.span)
        case "rule":
            config = snapshot.config(path)
            text = snapshot.read(config.path) if thing.name in config.rules else None
            if isinstance(text, str):
                span = config.key_span(text, "rules", thing.name)
                yield Target(config.path, span, span, at.span)
        case _:
            return


def _setters(snapshot: Snapshot, path: str, at: At, kinds: tuple[str, ...]) -> Iterator[Target]:
    if at.access != "read":
        yield Target(path, at.span, at.span, at.span)
        return
    seen: set[tuple[str, Span]] = set()
    for tree in snapshot.trees_with(path):
        for setter in snapshot.state_keys(tree).setters.get(at.name, ()):
            span = setter_span(snapshot, setter)
            if setter.kind in kinds and setter.path and (setter.path, span) not in seen:
                seen.add((setter.path, span))
                yield Target(setter.path, span, span, at.span)


def setter_span(snapshot: Snapshot, setter: Setter) -> Span:
    """Where the key is written that a setter sets."""
    if setter.kind == "config":
        text = snapshot.read(setter.path)
        return snapshot.config(setter.path).key_span(text if isinstance(text, str) else "", "state", setter.key)
    return unquoted(snapshot, setter.path, setter.span)


def _anchor(snapshot: Snapshot, path: str, offset: int) -> Iterator[Target]:
    source = snapshot.source(path)
    use = use_at(source, offset) if source is not None else None
    if use is not None and use.anchor is not None:
        mark = next((mark for mark in use.aliases if mark.span.start - 1 <= offset <= mark.span.end), use.anchor)
        yield Target(path, use.anchor.span, use.anchor.span, mark.span)


def around(span: Span, selection: Span) -> Span:
    """A span that holds the selection as well: a name that an alias brings in stands elsewhere."""
    return Span(min(span.start, selection.start), max(span.end, selection.end))
