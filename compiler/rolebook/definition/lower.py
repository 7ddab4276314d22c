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
from rolebook.definition.keys import GENERATE_CONTENT_CONFIG, STATE_ENTRY, agent_key
from rolebook.definition.names import kind_of
from rolebook.definition.shapes import Anything
from rolebook.definition.validate import Finding, choose, validate_agent
from rolebook.json import JsonObject, JsonValue
from rolebook.record import Record
from rolebook.syntax.yaml import Entry, Mapping, Node, Scalar, Sequence
from rolebook.syntax.yaml.nodes import json_of, key_text
from rolebook.text import MappedText, Span

_MOST_NESTED = 100
"""Inline agents inside of each other; deeper nesting is an attack, not a definition."""


class Lowered(Record):
    """The agent of a file with its inline sub-agents inside, and everything the table of keys has to say about it."""

    agent: Agent
    findings: tuple[Finding, ...]


def lower(root: Node, path: str) -> Lowered:
    """The agent that `root`, the document of the file at `path`, defines. Never raises."""
    if isinstance(root, Mapping):
        findings: list[Finding] = []
        return Lowered(_agent(root, path, findings, 0), tuple(findings))
    agent = Agent(path, root.span)
    if isinstance(root, Scalar) and root.broken:
        return Lowered(agent, ())
    empty = isinstance(root, Scalar) and root.value is None
    found = "this file is empty" if empty else f"here is a {'list' if isinstance(root, Sequence) else 'text'}"
    where = Span(root.span.start, min(root.span.end, root.span.start + 1))
    return Lowered(agent, (Finding("wrong-type", where, f"a definition is a mapping with at least a `name`; {found}"),))


def _agent(node: Mapping, path: str, findings: list[Finding], depth: int) -> Agent:
    entries = {row.key.name: entry for entry in node if entry.name and (row := agent_key(entry.name))}
    agent_class = _text(entries.get("agent_class")) or ""
    kind: Kind = kind_of(agent_class) or "LlmAgent"
    findings.extend(validate_agent(node, kind))

    def own(name: str) -> Entry | None:
        """The entry of a key that this kind of agent uses; any other is a finding already and must not take effect."""
        row = agent_key(name)
        return entries.get(name) if kind == "custom" or (row is not None and kind in row.on) else None

    syntax = _text(own("template_syntax"))
    return Agent(
        path=path,
        span=node.span,
        kind=kind,
        agent_class=agent_class or "LlmAgent",
        name=_text(own("name")) or "",
        description=_text(own("description")) or "",
        model=_text(own("model")) or None,
        instruction=_instruction(own("instruction")),
        global_instruction=_instruction(own("global_instruction")),
        identity=_mapped(own("identity")),
        static_instruction=_mapped(own("static_instruction")),
        output_schema=_schema(own("output_schema")),
        output_key=_text(own("output_key")) or None,
        tools=_tools(own("tools")),
        sub_agents=_sub_agents(own("sub_agents"), path, findings, depth),
        context_compressor=_compressors(own("context_compressor")),
        generate_content_config=_settings(own("generate_content_config")),
        include_contents="none" if _text(own("include_contents")) == "none" else "default",
        disallow_transfer_to_parent=_true(own("disallow_transfer_to_parent")),
        disallow_transfer_to_peers=_true(own("disallow_transfer_to_peers")),
        max_iterations=_whole(own("max_iterations")),
        callbacks={
            name: _callbacks(entry) for name, entry in entries.items() if name.endswith("_callbacks") and own(name)
        },
        state=_state(own("state")),
        template_syntax="angles" if syntax == "angles" else "braces" if syntax == "braces" else None,
        rehearsal=_steps(own("rehearsal")),
        entries=entries,
    )


def _text(entry: Entry | None) -> str | None:
    mapped = _mapped(entry)
    return mapped.text if mapped is not None else None


def _mapped(entry: Entry | None) -> MappedText | None:
    node = entry.value if entry is not None else None
    return node.text if isinstance(node, Scalar) and node.value is not None else None


def _instruction(entry: Entry | None) -> Instruction | None:
    return _provider(entry) or _mapped(entry)


def _provider(entry: Entry | None) -> Provider | None:
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping) or not (function := _text(node.get("function"))):
        return None
    args = _items(node.get("args"))
    return Provider(function, tuple(json_of(arg) for arg in args), node.span)


def _items(entry: Entry | None) -> tuple[Node, ...]:
    return entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ()


def _mappings(entry: Entry | None) -> list[Mapping]:
    return [item for item in _items(entry) if isinstance(item, Mapping)]


def _json(entry: Entry | None) -> JsonValue:
    return json_of(entry.value) if entry is not None else None


def _object(entry: Entry | None) -> JsonObject | None:
    value = _json(entry)
    return value if isinstance(value, dict) else None


def _true(entry: Entry | None) -> bool:
    return entry is not None and isinstance(entry.value, Scalar) and entry.value.value is True


def _whole(entry: Entry | None) -> int | None:
    value = entry.value.value if entry is not None and isinstance(entry.value, Scalar) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


def _schema(entry: Entry | None) -> JsonObject | SchemaName | None:
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping):
        return None
    name = _text(node.get("name"))
    if name is not None and all(other.name in ("name", "args") for other in node):
        return SchemaName(name, node.span)
    return _object(entry)


def _tools(entry: Entry | None) -> tuple[Tool, ...] | Provider:
    if (provider := _provider(entry)) is not None:
        return provider
    return tuple(tool for item in _mappings(entry) if (tool := _tool(item)) is not None)


def _tool(node: Mapping) -> Tool | None:
    name = node.get("name")
    if name is None or not (text := _text(name)):
        return None
    return Tool(
        name=text,
        span=name.value.span,
        args=_json(node.get("args")),
        function=_text(node.get("function")),
        description=_text(node.get("description")) or "",
        parameters=_object(node.get("parameters")),
    )


def _sub_agents(entry: Entry | None, path: str, findings: list[Finding], depth: int) -> tuple[SubAgent, ...]:
    found: list[SubAgent] = []
    for item in _mappings(entry):
        config_path, code = item.get("config_path"), item.get("code")
        if config_path is not None and (text := _text(config_path)):
            found.append(Reference(text, "config_path", config_path.value.span))
        elif code is not None and (text := _text(code)):
            found.append(Reference(text, "code", code.value.span))
        elif config_path is None and code is None and depth < _MOST_NESTED:
            found.append(_agent(item, path, findings, depth + 1))
    return tuple(found)


def _compressors(entry: Entry | None) -> tuple[JsonObject, ...]:
    if entry is None:
        return ()
    nodes = _mappings(entry) if isinstance(entry.value, Sequence) else [entry.value]
    return tuple(value for node in nodes if isinstance(value := json_of(node), dict))


def _settings(entry: Entry | None) -> JsonObject:
    """The generation settings under their snake_case names."""
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping):
        return {}
    known = ((GENERATE_CONTENT_CONFIG.find(setting.name or ""), setting) for setting in node)
    return {key.name: json_of(setting.value) for key, setting in known if key is not None}


def _callbacks(entry: Entry | None) -> tuple[str, ...]:
    return tuple(name for item in _mappings(entry) if (name := _text(item.get("name"))))


def _state(entry: Entry | None) -> tuple[StateKey, ...]:
    node = entry.value if entry is not None else None
    if not isinstance(node, Mapping):
        return ()
    return tuple(_state_key(declared) for declared in node if key_text(declared))


def _state_key(entry: Entry) -> StateKey:
    key, span, node = key_text(entry), entry.key.span, entry.value
    if not isinstance(node, Mapping) or choose(node, [STATE_ENTRY, Anything()]) is not STATE_ENTRY:
        return StateKey(key, span, sample=json_of(node), has_sample=True)
    sample, default = node.get("sample"), node.get("default")
    return StateKey(
        key,
        span,
        sample=_json(sample),
        default=_json(default),
        has_sample=sample is not None,
        has_default=default is not None,
        description=_text(node.get("description")) or "",
        type=_text(node.get("type")),
        required=_true(node.get("required")),
    )


def _steps(entry: Entry | None) -> tuple[Step, ...]:
    return tuple(
        Step(
            item.span,
            on=_text(item.get("on")),
            call=_object(item.get("call")),
            say=_text(item.get("say")),
            transfer=_text(item.get("transfer")),
        )
        for item in _mappings(entry)
    )
