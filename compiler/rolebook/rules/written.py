"""Where the settings, tools and strategies of an agent stand in its file; rules about models and tools look here."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Agent, Tool
from rolebook.definition.parts import COMPRESSOR
from rolebook.definition.settings import GENERATE_CONTENT_CONFIG
from rolebook.definition.values import known_values
from rolebook.json import JsonObject
from rolebook.project.tree import Place, Tree
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.text import Edit, Span, Text


def settings_of(agent: Agent) -> dict[str, Entry]:
    """The entries below `generate_content_config` by their snake_case names, however they are written."""
    entry = agent.entries.get("generate_content_config") if agent.kind == "LlmAgent" else None
    found: dict[str, Entry] = {}
    for setting in entry.value if entry is not None and isinstance(entry.value, Mapping) else ():
        key = GENERATE_CONTENT_CONFIG.find(setting.name or "")
        if key is not None:
            found[key.name] = setting
    return found


def strategies_of(agent: Agent) -> list[tuple[Mapping, JsonObject]]:
    """The compression strategies in their order, each with its known options."""
    entry = agent.entries.get("context_compressor")
    if entry is None or agent.kind != "LlmAgent":
        return []
    nodes = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    return [(node, known_values(node, COMPRESSOR)) for node in nodes if isinstance(node, Mapping)]


def value_span(node: Mapping, name: str) -> Span | None:
    """Where the value of a key stands, None where the key isn't written."""
    entry = node.get(name)
    return entry.value.span if entry is not None else None


def tool_node(agent: Agent, tool: Tool) -> Mapping | None:
    """The mapping that a tool was read from."""
    entry = agent.entries.get("tools")
    for item in entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ():
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and name is not None and name.value.span == tool.span:
            return item
    return None


def without_item(text: Text, node: Node, within: Node | None) -> Iterator[Edit]:
    """The edit that takes one item, its lines and its dash out of a block list; none where that isn't plain to do.

    The only item stays, since a list of nothing is another thing.
    """
    if not isinstance(within, Sequence) or within.flow or len(within.items) < 2:
        return
    spans = [item.span for item in within.items]
    if node.span not in spans or spans.count(node.span) > 1:
        return
    first = text.line_of(node.span.start)
    after = text.line_of(max(node.span.end - 1, node.span.start)) + 1
    head = text.source[text.line_starts[first] : node.span.start]
    if head.strip() != "-":
        return
    end = text.line_starts[after] if after < len(text.line_starts) else len(text)
    yield Edit(Span(text.line_starts[first], end), "")


def called_names(tree: Tree, place: Place) -> Iterator[tuple[Tool, str]]:
    """The tools of an agent with the names by which the model calls them.

    Left out are classes and toolsets, which only a run can ask.
    """
    tools = place.agent.tools if isinstance(place.agent.tools, tuple) else ()
    agents = {each.reference: each.agent.name for each in tree.tool_agents(place)} if tools else {}
    for tool in tools:
        name = tool.name.rpartition(".")[2]
        if tool.agent is not None:
            if tool.agent in agents:
                yield tool, agents[tool.agent]
        elif tool.declared:
            yield tool, tool.name
        elif tool.args is None and not name[:1].isupper():
            yield tool, name


def without_entry(text: Text, entry: Entry, within: Node) -> Iterator[Edit]:
    """The edit that takes one entry and its lines out of a block mapping; none where that isn't plain to do.

    The only entry stays, since a key without a value is another thing.
    """
    if not isinstance(within, Mapping) or within.flow or len(within.entries) < 2 or entry not in within.entries:
        return
    first, after = text.line_of(entry.span.start), text.line_of(max(entry.span.end - 1, entry.span.start)) + 1
    if text.source[text.line_starts[first] : entry.span.start].strip():
        return
    end = text.line_starts[after] if after < len(text.line_starts) else len(text)
    yield Edit(Span(text.line_starts[first], end), "")


def written_models(agent: Agent) -> Iterator[tuple[str, Scalar]]:
    """The names of models that an agent's definition holds, with their nodes: its own, and those that summarise."""
    entries: list[Entry | None] = [agent.entries.get("model") if agent.kind == "LlmAgent" else None]
    entries += [node.get("model") for node, _ in strategies_of(agent)]
    for entry in entries:
        node = entry.value if entry is not None else None
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.style in ("plain", "single", "double"):
            yield node.value, node
