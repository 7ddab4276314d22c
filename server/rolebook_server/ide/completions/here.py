"""The cursor's place in its workspace: which agent stands there, and where in which tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from rolebook.definition.agent import Agent
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook_server.ide.changes import line_end
from rolebook_server.ide.completions.around import Around


class Here(Record, caches=True):
    """What the sources of values ask. The tree is looked up by those alone that need it."""

    snapshot: Snapshot
    source: Source
    offset: int
    around: Around

    @property
    def path(self) -> str:
        return self.source.path

    @cached_property
    def agent(self) -> Agent:
        """The agent around the cursor as it stands in the file, which may be broken just there."""
        return agent_near(self.source, self.offset, self.around.agent.span.start)

    @cached_property
    def places(self) -> tuple[tuple[Tree, Place], ...]:
        """Where that agent stands, in all trees."""
        return tuple(places_of(self.snapshot, self.agent))

    @cached_property
    def line_end(self) -> str:
        return line_end(self.source.text.source)

    @cached_property
    def column(self) -> int:
        """The blanks and dashes before what is written here, for the lines below it."""
        line = self.source.text.line_span(self.source.text.line_of(self.around.span.start))
        head = self.source.text.source[line.start : self.around.span.start]
        return len(head) + len(self.around.lead)

    @cached_property
    def deeper(self) -> int:
        """How much deeper that column is than the line's own indent, which clients add to a snippet's lines."""
        line = self.source.text[self.source.text.line_span(self.source.text.line_of(self.around.span.start))]
        return self.column - (
            len(line) - len(line.lstrip(" ")) if line.strip() else self.column - len(self.around.lead)
        )


def agent_near(source: Source, offset: int, start: int | None = None) -> Agent:
    """The agent that begins at `start`, else the innermost around `offset`, else the file's own."""
    agents = source.agents
    same = [agent for agent in agents if agent.span.start == start]
    inside = [agent for agent in agents if agent.span.holds(offset)]
    return (same or inside or [agents[0]])[-1]


def places_of(snapshot: Snapshot, agent: Agent) -> Iterator[tuple[Tree, Place]]:
    """Where this very definition stands, in all trees."""
    for tree in snapshot.trees_with(agent.path):
        for place in tree.of(agent):
            yield tree, place
