"""A document's root node to a frozen `Agent`, with findings on the way. What is wrong is left out, the rest kept."""

from __future__ import annotations

from rolebook.definition.agent import (
    Agent,
    Instruction,
    Kind,
    Provider,
    Reference,
    SchemaName,
    StateKey,
    Step,
    SubAgent,
    Tool,
)
from rolebook.definition.alternatives import choose
from rolebook.definition.edges import edge_files, edge_functions
from rolebook.definition.finding import Finding, short_span
from rolebook.definition.keys import agent_key
from rolebook.definition.lower_compressors import compressors
from rolebook.definition.names import kind_of
from rolebook.definition.parts import SCHEMA_NAME, STATE_ENTRY, SUB_AGENT
from rolebook.definition.settings import GENERATE_CONTENT_CONFIG
from rolebook.definition.shapes import Anything, Definition, JsonSchema
from rolebook.definition.validate import validate_agent
from rolebook.definition.values import (
    is_true,
    items_of,
    json_at,
    known_values,
    mapped_of,
    mappings_of,
    object_at,
    text_of,
    whole_of,
)
from rolebook.json import JsonObject
from rolebook.record import Record
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import json_of, key_text
from rolebook.text import MappedText, Span, join

_MOST_NESTED = 100
_MOST_INLINE = 1_000
"""Inline agents inside of each other, and in one file. Aliases multiply them, so that past this a file is an attack."""


class Lowered(Record):
    """The agent of a file with its inline sub-agents inside, and everything the table of keys has to say about it."""

    agent: Agent
    findings: tuple[Finding, ...]


def lower(root: Node, path: str) -> Lowered:
    """The agent that `root`, the document of the file at `path`, defines. Never raises."""
    if isinstance(root, Mapping):
        findings: list[Finding] = []
        agent = _agent(root, path, findings, _Count(), 0)
        return Lowered(agent, tuple(findings))
    agent = Agent(path, root.span)
    if isinstance(root, Scalar) and root.broken:
        return Lowered(agent, ())
    empty = isinstance(root, Scalar) and root.value is None
    found = "this file is empty" if empty else f"here is a {'list' if isinstance(root, Sequence) else 'text'}"
    where = Span(root.span.start, min(root.span.end, root.span.start + 1))
    return Lowered(agent, (Finding("wrong-type", where, f"a definition is a mapping with at least a `name`; {found}"),))


class _Count:
    """How many inline agents were lowered so far."""

    inline = 0


def _agent(node: Mapping, path: str, findings: list[Finding], count: _Count, depth: int) -> Agent:
    entries = _entries(node)
    agent_class = text_of(entries.get("agent_class")) or ""
    kind: Kind = kind_of(agent_class) or "LlmAgent"
    findings.extend(validate_agent(node, kind))

    def own(name: str) -> Entry | None:
        """The entry of a key that this kind of agent uses; any other is a finding already and must not take effect."""
        row = agent_key(name)
        return entries.get(name) if kind == "custom" or (row is not None and kind in row.on) else None

    syntax = text_of(own("template_syntax"))
    return Agent(
        path=path,
        span=node.span,
        kind=kind,
        agent_class=agent_class or "LlmAgent",
        name=text_of(own("name")) or "",
        description=text_of(own("description")) or "",
        model=text_of(own("model")) or None,
        instruction=_instruction(own("instruction")),
        global_instruction=_instruction(own("global_instruction")),
        identity=mapped_of(own("identity")),
        static_instruction=_fixed(own("static_instruction")),
        output_schema=_schema(own("output_schema")),
        output_key=text_of(own("output_key")) or None,
        tools=_tools(own("tools")),
        sub_agents=(
            *_sub_agents(own("sub_agents"), path, findings, count, depth),
            *edge_files(own("edges")),
        ),
        context_compressor=compressors(own("context_compressor")),
        generate_content_config=_settings(own("generate_content_config")),
        include_contents="none" if text_of(own("include_contents")) == "none" else "default",
        disallow_transfer_to_parent=is_true(own("disallow_transfer_to_parent")),
        disallow_transfer_to_peers=is_true(own("disallow_transfer_to_peers")),
        max_iterations=whole_of(own("max_iterations")),
        callbacks={
            name: _callbacks(entry) for name, entry in entries.items() if name.endswith("_callbacks") and own(name)
        },
        edge_functions=edge_functions(own("edges")),
        state=_state(own("state")),
        template_syntax="angles" if syntax == "angles" else "braces" if syntax == "braces" else None,
        rehearsal=_steps(own("rehearsal")),
        entries=entries,
    )


def _entries(node: Mapping) -> dict[str, Entry]:
    """The entries of known keys by the keys' own names; one that is written under its own name goes before an alias."""
    entries: dict[str, Entry] = {}
    for entry in node:
        row = agent_key(entry.name) if entry.name else None
        if row is not None and (entry.name == row.key.name or row.key.name not in entries):
            entries[row.key.name] = entry
    return entries


def _fixed(entry: Entry | None) -> MappedText | None:
    """A fixed text, or google-adk's form of it: a mapping with `parts`, which become one text."""
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping):
        return mapped_of(entry)
    pieces: list[MappedText] = []
    for part in mappings_of(node.get("parts")):
        text = part.get("text")
        if (mapped := mapped_of(text)) is not None and text is not None:
            start = text.value.span.start
            blank_line = MappedText("\n\n", (0,), (Span(start, start),))
            pieces += [blank_line, mapped] if pieces else [mapped]
    return join(pieces) if pieces else None


def _instruction(entry: Entry | None) -> Instruction | None:
    return _provider(entry) or mapped_of(entry)


def _provider(entry: Entry | None) -> Provider | None:
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping) or not (function := text_of(node.get("function"))):
        return None
    args = items_of(node.get("args"))
    return Provider(function, tuple(json_of(arg) for arg in args), node.span)


def _schema(entry: Entry | None) -> JsonObject | SchemaName | None:
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping):
        return None
    name = text_of(node.get("name"))
    if name is not None and choose(node, (SCHEMA_NAME, JsonSchema())) is SCHEMA_NAME:
        return SchemaName(name, node.span)
    return object_at(entry)


def _tools(entry: Entry | None) -> tuple[Tool, ...] | Provider:
    if (provider := _provider(entry)) is not None:
        return provider
    return tuple(tool for item in mappings_of(entry) if (tool := _tool(item)) is not None)


def _tool(node: Mapping) -> Tool | None:
    name = node.get("name")
    if name is None or not (text := text_of(name)):
        return None
    return Tool(
        name=text,
        span=name.value.span,
        args=json_at(node.get("args")),
        function=text_of(node.get("function")),
        description=text_of(node.get("description")) or "",
        parameters=object_at(node.get("parameters")),
        agent=_tool_agent(node.get("args")),
    )


def _tool_agent(args: Entry | None) -> Reference | None:
    """The file of `AgentTool`'s `args: {agent: {config_path: FILE}}`."""
    agent = args.value.get("agent") if args is not None and isinstance(args.value, Mapping) else None
    path = agent.value.get("config_path") if agent is not None and isinstance(agent.value, Mapping) else None
    text = text_of(path)
    return Reference(text, "config_path", path.value.span) if path is not None and text else None


def _sub_agents(
    entry: Entry | None, path: str, findings: list[Finding], count: _Count, depth: int
) -> tuple[SubAgent, ...]:
    found: list[SubAgent] = []
    for item in mappings_of(entry):
        config_path, code = item.get("config_path"), item.get("code")
        if config_path is not None and (text := text_of(config_path)):
            found.append(Reference(text, "config_path", config_path.value.span))
        elif code is not None and (text := text_of(code)):
            found.append(Reference(text, "code", code.value.span))
        elif isinstance(choose(item, SUB_AGENT.shapes), Definition) and depth < _MOST_NESTED:
            count.inline += 1
            if count.inline > _MOST_INLINE:
                if count.inline == _MOST_INLINE + 1:
                    message = f"this file holds more than {_MOST_INLINE:,} agents; from here on they are left out"
                    findings.append(Finding("wrong-value", short_span(item), message))
                break
            found.append(_agent(item, path, findings, count, depth + 1))
    return tuple(found)


def _settings(entry: Entry | None) -> JsonObject:
    """The generation settings under their snake_case names."""
    node = entry.value if entry is not None else None
    return known_values(node, GENERATE_CONTENT_CONFIG) if isinstance(node, Mapping) else {}


def _callbacks(entry: Entry | None) -> tuple[str, ...]:
    return tuple(name for item in mappings_of(entry) if (name := text_of(item.get("name"))))


def _state(entry: Entry | None) -> tuple[StateKey, ...]:
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping):
        return ()
    return tuple(_state_key(declared) for declared in node if key_text(declared))


def _state_key(entry: Entry) -> StateKey:
    key, span, node = key_text(entry), entry.key.span, entry.value
    if not isinstance(node, Mapping) or choose(node, (STATE_ENTRY, Anything())) is not STATE_ENTRY:
        return StateKey(key, span, sample=json_of(node), has_sample=True)
    sample, default = node.get("sample"), node.get("default")
    return StateKey(
        key,
        span,
        sample=json_at(sample),
        default=json_at(default),
        has_sample=sample is not None,
        has_default=default is not None,
        description=text_of(node.get("description")) or "",
        type=text_of(node.get("type")),
        required=is_true(node.get("required")),
    )


def _steps(entry: Entry | None) -> tuple[Step, ...]:
    return tuple(
        Step(
            item.span,
            on=text_of(item.get("on")),
            call=object_at(item.get("call")),
            say=text_of(item.get("say")),
            transfer=text_of(item.get("transfer")),
        )
        for item in mappings_of(entry)
    )
