"""Symbols of the whole workspace: agents and state keys whose names hold the letters of a query in its order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Literal

from rolebook.definition.agent import Agent
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.text import Span
from rolebook_server.ide.names import without_quotes

_MOST_RESULTS = 200


class WorkspaceSymbol(Record):
    """An agent, or a place that declares or sets a state key; `container` is the agent around it."""

    name: str
    kind: Literal["agent", "state"]
    container: str
    path: str
    span: Span


def workspace_symbols(
    snapshot: Snapshot, query: str, paths: Iterable[str], limit: int = _MOST_RESULTS
) -> tuple[WorkspaceSymbol, ...]:
    """The best `limit` symbols of the definitions at `paths`: the same name, then beginnings, words, and the rest.

    An empty query matches everything.
    """
    ranked = heapq.nsmallest(limit, _matches(snapshot, query.strip(), paths), key=lambda match: match[:4])
    return tuple(match[-1] for match in ranked)


def _matches(
    snapshot: Snapshot, query: str, paths: Iterable[str]
) -> Iterator[tuple[int, str, str, Span, WorkspaceSymbol]]:
    letters = set(query.casefold())
    for path in dict.fromkeys(paths):
        text = snapshot.read(path)
        if not isinstance(text, str) or not letters.issubset(text.casefold()):
            continue
        source = snapshot.source(path)
        for agent in source.agents if source is not None else ():
            for symbol in _symbols(agent):
                if (at := rank(query, symbol.name)) is not None:
                    yield at, symbol.name, path, symbol.span, symbol


def _symbols(agent: Agent) -> Iterator[WorkspaceSymbol]:
    if agent.name:
        span = without_quotes(agent.name_span, agent.name)
        yield WorkspaceSymbol(agent.name, "agent", "", agent.path, span)
    keys = [(declared.key, declared.span) for declared in agent.state]
    if agent.output_key:
        keys.append((agent.output_key, agent.entries["output_key"].value.span))
    for key, span in keys:
        yield WorkspaceSymbol(key, "state", agent.name, agent.path, without_quotes(span, key))


def rank(query: str, name: str) -> int | None:
    """How well a name answers a query, 0 being best; None where its letters don't come in this order.

    Editors filter and sort once more by rules of their own, so this only has to keep what they could want.
    """
    asked, given = query.casefold(), name.casefold()
    if asked == given:
        return 0
    if given.startswith(asked):
        return 1
    if any(word.startswith(asked) for word in given.replace(":", "_").split("_")):
        return 2
    if asked in given:
        return 3
    rest = iter(given)
    return 4 if all(letter in rest for letter in asked) else None
