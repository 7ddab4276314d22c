"""Code lenses above an agent's name: Run · Preview · Graph · N tokens · N references."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from rolebook.definition.agent import WORKFLOWS, Agent
from rolebook.models import facts
from rolebook.project.snapshot import Snapshot
from rolebook.prompt.tokens.parts import count_parts, total
from rolebook.record import Record, replace
from rolebook.text import Span
from rolebook_server.ide.compiled import compiled_at, count_for
from rolebook_server.ide.occurrences import Thing, occurrences

LensKind: TypeAlias = Literal["run", "preview", "graph", "tokens", "references"]

_COMMANDS: dict[LensKind, str] = {
    "run": "rolebook.run",
    "preview": "rolebook.preview",
    "graph": "rolebook.graph",
    "tokens": "rolebook.showRequest",
    "references": "",
}
_TITLES: dict[LensKind, str] = {"run": "▶ Run", "preview": "Preview", "graph": "Graph", "tokens": "", "references": ""}
_NOTHING = "…"


class Lens(Record):
    """One lens at an agent's name. An empty `title` says that it is still to be `resolved`, which takes a while.

    `command` is that of spec §10, and its arguments are the file and the agent's name. What is clicked for references
    is the editor's own, so they have no command.
    """

    span: Span
    kind: LensKind
    path: str
    agent: str
    title: str = ""
    command: str = ""


def lenses(snapshot: Snapshot, path: str) -> tuple[Lens, ...]:
    """The lenses of the definition at `path`, agent by agent."""
    source = snapshot.source(path)
    found: list[Lens] = []
    for agent in source.agents if source is not None else ():
        if agent.name and source is not None:
            kinds = _kinds(agent, is_file=agent is source.agent)
            found += [Lens(agent.name_span, kind, path, agent.name, _TITLES[kind], _COMMANDS[kind]) for kind in kinds]
    return tuple(found)


def _kinds(agent: Agent, *, is_file: bool) -> list[LensKind]:
    """A run begins with a file; what has no prompt has no preview and no tokens."""
    kinds: list[LensKind] = []
    if is_file and (agent.kind == "LlmAgent" or agent.kind in WORKFLOWS):
        kinds.append("run")
    if agent.kind == "LlmAgent":
        kinds.append("preview")
    if is_file and agent.sub_agents:
        kinds.append("graph")
    if agent.kind == "LlmAgent":
        kinds.append("tokens")
    return [*kinds, "references"]


def resolved(snapshot: Snapshot, lens: Lens, paths: Iterable[str]) -> Lens:
    """The lens with its title. `paths` are the definitions of the workspace.

    One whose agent is gone meanwhile gets a title that says nothing.
    """
    source = snapshot.source(lens.path)
    agents = [agent for agent in source.agents if agent.name == lens.agent] if source is not None else []
    agent = next((agent for agent in agents if agent.name_span == lens.span), agents[0] if agents else None)
    if lens.title:
        return lens
    if agent is None:
        return replace(lens, title=_NOTHING)
    title = _tokens(snapshot, agent) if lens.kind == "tokens" else _references(snapshot, agent, paths)
    return replace(lens, title=title)


def _references(snapshot: Snapshot, agent: Agent, paths: Iterable[str]) -> str:
    thing = Thing("agent", agent.name, agent.path, agent.span)
    number = sum(each.access == "read" for each in occurrences(snapshot, [thing], paths))
    return f"{number} reference{'' if number == 1 else 's'}"


def _tokens(snapshot: Snapshot, agent: Agent) -> str:
    for tree in snapshot.trees_with(agent.path):
        for place in tree.of(agent):
            compilation = compiled_at(snapshot, tree, place)
            known = facts(compilation.request.model, tree.config.models)
            whole = total(count_parts(compilation, known, count_for(tree, place)))
            return f"{'' if whole.exact else '≈ '}{whole.tokens:,} token{'' if whole.tokens == 1 else 's'}"
    return _NOTHING
