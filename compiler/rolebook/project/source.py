"""One definition file, read: everything that can be known from its text alone, remembered under that text."""

from __future__ import annotations

from rolebook.definition.agent import Agent, Reference
from rolebook.definition.lower import lower
from rolebook.definition.validate import Finding
from rolebook.record import Record
from rolebook.syntax.markdown import parse_markdown
from rolebook.syntax.yaml import Document, parse
from rolebook.text import Text


class Source(Record):
    """A definition file and what it says. `agent` holds the inline sub-agents; references are not followed here."""

    path: str
    text: Text
    document: Document
    agent: Agent
    findings: tuple[Finding, ...]

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The file's agent and its inline sub-agents, outermost first."""
        return tuple(_with_inline(self.agent))

    @property
    def references(self) -> tuple[Reference, ...]:
        """The files that this one names, those of inline sub-agents included."""
        return tuple(
            child
            for agent in self.agents
            for child in agent.sub_agents
            if isinstance(child, Reference) and child.kind == "config_path"
        )


def read_source(path: str, text: str) -> Source:
    """The definition in `text`, which is or would be the file at `path`. Never raises."""
    document = parse_markdown(text) if path.endswith(".md") else parse(text)
    lowered = lower(document.root, path)
    return Source(path, Text(text), document, lowered.agent, lowered.findings)


def _with_inline(agent: Agent) -> list[Agent]:
    found = [agent]
    for child in agent.sub_agents:
        if isinstance(child, Agent):
            found += _with_inline(child)
    return found
