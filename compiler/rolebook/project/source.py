"""One definition file, read: everything that can be known from its text alone, remembered under that text."""

from __future__ import annotations

from rolebook.definition.agent import Agent, Reference
from rolebook.definition.lower import lower
from rolebook.definition.validate import Finding
from rolebook.record import Record
from rolebook.syntax.markdown import reparse_markdown
from rolebook.syntax.yaml import Document, Syntax, reparse
from rolebook.text import Text


class Source(Record):
    """A definition file and what it says. `agent` holds the inline sub-agents; references are not followed here."""

    path: str
    text: Text
    document: Document
    agent: Agent
    findings: tuple[Finding, ...]
    syntax: Syntax | None = None
    """What the next edit is read from, for a file that is open in an editor."""

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The file's agent and its inline sub-agents, outermost first."""
        return tuple(_with_inline(self.agent))

    @property
    def references(self) -> tuple[Reference, ...]:
        """The files that this one names as sub-agents or as agents that are tools, for its inline sub-agents too."""
        return tuple(reference for agent in self.agents for reference in files_named_by(agent))


def files_named_by(agent: Agent) -> tuple[Reference, ...]:
    """The files that one agent names: sub-agents, then agents that it uses as tools."""
    children = (child for child in agent.sub_agents if isinstance(child, Reference) and child.kind == "config_path")
    tools = agent.tools if isinstance(agent.tools, tuple) else ()
    return (*children, *(tool.agent for tool in tools if tool.agent is not None))


def read_source(path: str, text: str, before: Source | None = None, *, keep: bool = False) -> Source:
    """The definition in `text`, which is or would be the file at `path`. Never raises.

    `before` is the same file before an edit; the result doesn't depend on it. With `keep`, the next edit will be quick.
    """
    read = reparse_markdown if path.endswith(".md") else reparse
    document, syntax = read(text, before.syntax if before is not None else None)
    lowered = lower(document.root, path)
    return Source(path, Text(text), document, lowered.agent, lowered.findings, syntax if keep else None)


def _with_inline(agent: Agent) -> list[Agent]:
    found = [agent]
    for child in agent.sub_agents:
        if isinstance(child, Agent):
            found += _with_inline(child)
    return found
