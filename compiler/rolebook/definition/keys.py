"""The one table of keys (spec §1): validation, completion, hover, JSON Schema and reference page are made from it.

Here are the keys of an agent; `parts` and `settings` hold what stands below them.
"""

from __future__ import annotations

from rolebook.definition.agent import WORKFLOWS, Kind
from rolebook.definition.names import agent_class_problem, agent_name_problem
from rolebook.definition.parts import (
    CALLBACKS,
    CODE,
    COMPRESSOR,
    CONTENT,
    DECLARED_TOOL,
    EDGES,
    PROVIDER,
    SCHEMA_NAME,
    STATE_ENTRY,
    STATE_KEY,
    STEP,
    SUB_AGENT,
    TEXT,
    TOOL,
)
from rolebook.definition.settings import GENERATE_CONTENT_CONFIG
from rolebook.definition.shapes import Anything, Bool, Fields, JsonSchema, Key, ListOf, MapOf, Number, OneOf, Shape, Str
from rolebook.record import Record, replace


class AgentKey(Record):
    """A key of a definition, and the kinds of agent that it belongs to; `alias_on`: those on which its aliases do."""

    key: Key
    on: frozenset[Kind]
    alias_on: frozenset[Kind] = frozenset()


_ALL: frozenset[Kind] = frozenset({"LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent", "Workflow"})
_LLM: frozenset[Kind] = frozenset({"LlmAgent"})
_INSTRUCTION = OneOf((Str(means="template"), PROVIDER))


def _all(name: str, shape: Shape, doc: str, *, required: bool = False) -> AgentKey:
    return AgentKey(Key(name, shape, doc, required=required), _ALL)


def _llm(name: str, shape: Shape, doc: str, *, not_with: tuple[str, ...] = ()) -> AgentKey:
    return AgentKey(Key(name, shape, doc, not_with=not_with), _LLM)


def _callbacks(when: str, of: str, on: frozenset[Kind]) -> AgentKey:
    doc = f"Functions that run {when} the {of}; they may answer for it."
    return AgentKey(Key(f"{when}_{of}_callbacks", CALLBACKS, doc), on)


AGENT_KEYS: tuple[AgentKey, ...] = (
    _all(
        "agent_class",
        Str(means="agent class", choices=tuple(sorted(_ALL)), check=agent_class_problem),
        "What kind of agent this is: `LlmAgent` (the default), `SequentialAgent`, `ParallelAgent`, `LoopAgent`, "
        "`Workflow`, or the dotted name of a class of yours.",
    ),
    _all(
        "name",
        Str(means="agent name", empty=False, check=agent_name_problem),
        "The agent's name: an identifier, unique in its tree.",
        required=True,
    ),
    _all("description", TEXT, "What other agents read when they choose whom to hand over to."),
    AgentKey(
        Key(
            "sub_agents",
            ListOf(SUB_AGENT),
            "Agents below this one: files (`config_path`), Python code (`code`), or definitions written here.",
            aliases=("agents",),
        ),
        _ALL,
        alias_on=WORKFLOWS,
    ),
    _llm(
        "model",
        Str(means="model", empty=False),
        "The model, such as `gemini-flash-latest`, `claude-sonnet-5`, `gpt-5` or `ollama/llama3.2`. "
        "Inherited from the nearest ancestor that sets one.",
        not_with=("model_code",),
    ),
    _llm(
        "instruction",
        _INSTRUCTION,
        "What the agent is told at each request; `{key}` is filled from session state. The dynamic half of the prompt.",
    ),
    _llm(
        "global_instruction",
        _INSTRUCTION,
        "Stands first in the prompt of this agent and of its descendants that set none. Part of the static half.",
    ),
    _llm("identity", TEXT, "Who the agent is, as fixed text. Without it: `You are NAME.` and the description."),
    _llm(
        "static_instruction",
        OneOf((TEXT, CONTENT)),
        "Fixed text that is never substituted, so that providers can cache it.",
    ),
    _llm(
        "output_schema",
        OneOf((SCHEMA_NAME, JsonSchema())),
        "JSON Schema of the answer, or `{name: …}` of a pydantic model.",
    ),
    _llm("output_key", STATE_KEY, "State key that receives the final text."),
    _llm(
        "tools",
        OneOf((ListOf(OneOf((DECLARED_TOOL, TOOL))), PROVIDER)),
        "What the agent can call: built-in tools, Python functions, tools declared here, or a function that returns "
        "the list.",
    ),
    _llm(
        "context_compressor",
        OneOf((COMPRESSOR, ListOf(COMPRESSOR))),
        "How a long conversation is kept short: one strategy, or a list that runs in order.",
    ),
    _llm(
        "generate_content_config",
        GENERATE_CONTENT_CONFIG,
        "Settings of the model: temperature, top_p, max_output_tokens, …",
    ),
    _llm(
        "include_contents",
        Str(choices=("default", "none")),
        "`none` shows the agent only what came since the latest user message or hand-on.",
    ),
    _llm("disallow_transfer_to_parent", Bool(), "The agent can't hand the conversation back to its parent."),
    _llm("disallow_transfer_to_peers", Bool(), "The agent can't hand the conversation to its siblings."),
    AgentKey(
        Key("max_iterations", Number(whole=True, least=1), "How many rounds the loop runs at most."),
        frozenset({"LoopAgent"}),
    ),
    AgentKey(
        Key(
            "edges",
            EDGES,
            "The graph of an ADK 2 workflow, as a list of chains such as `[START, first.yaml, {again: second.yaml}]`. "
            "References are checked; Rolebook doesn't run it.",
        ),
        frozenset({"Workflow"}),
    ),
    _all(
        "state",
        MapOf(OneOf((STATE_ENTRY, Anything())), key=STATE_KEY),
        "Session state that the agent expects: `key: sample`, or a mapping with `sample`, `default`, `description`, "
        "`type`, `required`.",
    ),
    _all(
        "template_syntax",
        Str(choices=("braces", "angles")),
        "How placeholders are written: `{name}` or `<name>`. Inherited.",
    ),
    _callbacks("before", "agent", _ALL),
    _callbacks("after", "agent", _ALL),
    _callbacks("before", "model", _LLM),
    _callbacks("after", "model", _LLM),
    _callbacks("before", "tool", _LLM),
    _callbacks("after", "tool", _LLM),
    _llm("model_code", CODE, "A model object in Python code, as in ADK."),
    _llm("input_schema", CODE, "Dotted name of a pydantic model for the agent's input when it is used as a tool."),
    _llm(
        "rehearsal",
        ListOf(STEP),
        "A script for the embedded offline model: what the agent says, calls and hands over, turn by turn.",
    ),
)

_BY_NAME = {name: entry for entry in AGENT_KEYS for name in (entry.key.name, *entry.key.aliases)}


def agent_key(name: str) -> AgentKey | None:
    """The row of the table for a key or one of its aliases."""
    return _BY_NAME.get(name)


def fields_of(kind: Kind) -> Fields:
    """The keys of one kind of agent. A user's own class takes any key, so nothing is said of it."""
    return _FIELDS[kind]


def _fields(kind: Kind) -> Fields:
    rows = [row for row in AGENT_KEYS if kind in row.on]
    return Fields(
        kind, tuple(row.key if kind in row.alias_on or not row.key.aliases else _plain(row.key) for row in rows)
    )


def _plain(key: Key) -> Key:
    return replace(key, aliases=())


_FIELDS = {kind: _fields(kind) for kind in _ALL}
