"""What stands at an offset of a definition: the agent around it, the key, the value."""

from __future__ import annotations

from rolebook.definition.agent import Agent, Reference
from rolebook.project.source import Source
from rolebook.record import Record
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence


class Found(Record):
    """The innermost agent around an offset, and the entries that lead to it from there, outermost first.

    `on_key` says that the offset is on the key of the last entry rather than in its value.
    """

    agent: Agent
    entries: tuple[Entry, ...]
    node: Node | None
    on_key: bool = False

    @property
    def key(self) -> str | None:
        """The agent's own key that the offset is below."""
        return self.entries[0].name if self.entries else None

    @property
    def reference(self) -> Reference | None:
        """The sub-agent's file that the offset is on."""
        for child in self.agent.sub_agents:
            if isinstance(child, Reference) and self.node is not None and child.span == self.node.span:
                return child
        return None


def locate(source: Source, offset: int) -> Found | None:
    """What is at `offset`, None where that is outside of every agent."""
    inside = [agent for agent in source.agents if agent.span.holds(offset)]
    if not inside:
        return None
    agent = inside[-1]
    entries: list[Entry] = []
    node = _mapping_of(source, agent)
    while node is not None:
        if isinstance(node, Mapping):
            # Where two entries meet, as behind a block text, the offset belongs to the one that begins there.
            entry = next((entry for entry in reversed(node.entries) if entry.span.holds(offset)), None)
            if entry is None:
                break
            entries.append(entry)
            if entry.key.span.holds(offset):
                return Found(agent, tuple(entries), entry.key, on_key=True)
            node = entry.value
        elif isinstance(node, Sequence):
            node = next((item for item in reversed(node.items) if item.span.holds(offset)), None)
        else:
            return Found(agent, tuple(entries), node) if node.span.holds(offset) else Found(agent, tuple(entries), None)
    return Found(agent, tuple(entries), None)


def _mapping_of(source: Source, agent: Agent) -> Node | None:
    """The node of an agent: the document's root, or the inline definition with the same span."""
    pending: list[Node] = [source.document.root]
    seen: set[int] = set()  # aliases share nodes
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Mapping):
            if node.span == agent.span:
                return node
            pending += [entry.value for entry in node.entries]
        else:
            pending += node.items
    return None
