"""An agent as its definition says it, before anything is inherited or looked up.

Values keep where they stand: texts map to their source, and `entries` holds the entry of every key that was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from rolebook.definition.compressors import Compressor
from rolebook.json import JsonObject, JsonValue
from rolebook.record import Record, field
from rolebook.syntax.template import TemplateSyntax
from rolebook.syntax.yaml import Entry
from rolebook.text import MappedText, Span

Kind = Literal["LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent", "Workflow", "custom"]
WORKFLOWS: frozenset[Kind] = frozenset({"SequentialAgent", "ParallelAgent", "LoopAgent"})


class Provider(Record):
    """A function of the user's that makes a text, or a list of tools, from the context of a run."""

    function: str
    args: tuple[JsonValue, ...]
    span: Span

    @property
    def label(self) -> str:
        """How the call is shown where its result isn't known (spec §3)."""
        return f"{self.function}({', '.join(['context', *map(repr, self.args)])})"


class Reference(Record):
    """A sub-agent that lives elsewhere: in a file, or in the user's code."""

    target: str
    kind: Literal["config_path", "code"]
    span: Span


class Tool(Record):
    """A tool as the definition names it. `agent` is the definition file of an agent that is used as a tool."""

    name: str
    span: Span
    args: JsonValue = None
    function: str | None = None
    description: str = ""
    parameters: JsonObject | None = None
    agent: Reference | None = None

    @property
    def label(self) -> str:
        """What tells the tool from the agent's others: its name, and with an agent as a tool that one's file."""
        return f"{self.name}({self.agent.target})" if self.agent is not None else self.name

    @property
    def declared(self) -> bool:
        """Whether what the model is told of it stands in the definition itself."""
        return self.function is not None or self.parameters is not None


class StateKey(Record):
    """What an agent expects in session state. `has_…` tells a null that was written from one that wasn't."""

    key: str
    span: Span
    sample: JsonValue = None
    default: JsonValue = None
    has_sample: bool = False
    has_default: bool = False
    description: str = ""
    type: str | None = None
    required: bool = False


class Step(Record):
    """One step of a rehearsal: exactly one of `call`, `say` and `transfer` is set, unless the definition is wrong."""

    span: Span
    on: str | None = None
    call: JsonObject | None = None
    say: str | None = None
    transfer: str | None = None


class SchemaName(Record):
    """A JSON Schema that a pydantic model of the user's gives."""

    name: str
    span: Span


Instruction: TypeAlias = MappedText | Provider
SubAgent: TypeAlias = "Agent | Reference"


class Agent(Record):
    """One definition. `path` is the file that holds it, `span` its mapping in there."""

    path: str
    span: Span
    kind: Kind = "LlmAgent"
    agent_class: str = "LlmAgent"
    name: str = ""
    description: str = ""
    model: str | None = None
    instruction: Instruction | None = None
    global_instruction: Instruction | None = None
    identity: MappedText | None = None
    static_instruction: MappedText | None = None
    output_schema: JsonObject | SchemaName | None = None
    output_key: str | None = None
    tools: tuple[Tool, ...] | Provider = ()
    sub_agents: tuple[SubAgent, ...] = ()
    context_compressor: tuple[Compressor, ...] = ()
    generate_content_config: JsonObject = field(default_factory=dict)
    include_contents: Literal["default", "none"] = "default"
    disallow_transfer_to_parent: bool = False
    disallow_transfer_to_peers: bool = False
    max_iterations: int | None = None
    callbacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    edge_functions: tuple[str, ...] = ()
    state: tuple[StateKey, ...] = ()
    template_syntax: TemplateSyntax | None = None
    rehearsal: tuple[Step, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def name_span(self) -> Span:
        """Where the name stands, or where the definition begins when it has none."""
        entry = self.entries.get("name")
        return entry.value.span if entry is not None else Span(self.span.start, self.span.start)
