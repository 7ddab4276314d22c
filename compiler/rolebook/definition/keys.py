"""The one table of keys (spec §1): validation, completion, hover, JSON Schema and reference page are made from it."""

from __future__ import annotations

from rolebook.definition.agent import Kind
from rolebook.definition.names import agent_class_problem, agent_name_problem, dotted_name_problem
from rolebook.definition.shapes import (
    Anything,
    Bool,
    Definition,
    Fields,
    JsonSchema,
    Key,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Shape,
    Str,
)
from rolebook.record import Record

_TEXT = Str()
_DOTTED = Str(means="dotted name", empty=False, check=dotted_name_problem)
_FUNCTION = Fields(
    "provider",
    (
        Key("function", _DOTTED, "Dotted name of a function `(context, *args)`; it may be async.", required=True),
        Key("args", ListOf(Anything()), "What the function gets after the context."),
    ),
)
_INSTRUCTION = OneOf((Str(means="template"), _FUNCTION))
_CALLBACK_KEYS = (
    Key("name", Str(means="callback", empty=False), "Dotted name of the function.", required=True),
    Key("args", Anything(), "What the function gets besides."),
)
_CALLBACKS = ListOf(Fields("callback", _CALLBACK_KEYS))
_CODE = Fields(
    "code reference",
    (
        Key("name", _DOTTED, "Dotted name of a class, function or variable.", required=True),
        Key("args", Anything(), "Arguments: a list of `{name, value}`."),
    ),
)

_SUB_AGENT = OneOf(
    (
        Fields(
            "sub-agent",
            (
                Key("config_path", Str(means="file", empty=False), "A definition file, relative to this one."),
                Key("code", _DOTTED, "Dotted name of an agent in Python code."),
            ),
            when=("config_path", "code"),
            one_of=("config_path", "code"),
        ),
        Definition(),
    )
)

_TOOL = Fields(
    "tool",
    (
        Key(
            "name", Str(means="tool", empty=False), "A built-in tool, or the dotted name of a function.", required=True
        ),
        Key("args", Anything(), "Arguments of a tool class or toolset."),
        Key("description", _TEXT, "What the model reads about a tool that is declared here."),
        Key("parameters", JsonSchema(), "JSON Schema of the arguments of a tool that is declared here."),
        Key("function", _DOTTED, "Dotted name of the function behind a tool that is declared here."),
    ),
)

_THRESHOLD = Key("threshold", Number(whole=True, least=0), "The strategy runs only on more messages than this (0).")
_COMPRESSOR = Fields(
    "compressor",
    (
        Key(
            "strategy",
            Str(choices=("truncate", "sliding_window", "summarize", "token_budget")),
            "How a long conversation is kept short.\n\n"
            "| strategy | keeps | best for |\n|---|---|---|\n"
            "| `truncate` | the last `max_messages` messages | simple chats, prototypes |\n"
            "| `sliding_window` | the last `invocations` user turns with their tool calls | agents with many tools |\n"
            "| `summarize` | a summary, and the last `keep_recent` messages word for word | long talks that need all of it |\n"
            "| `token_budget` | what fits into `token_budget`, newest first | a limit on cost |\n\n"
            "A fixed budget? `token_budget`. Else many tools? `sliding_window`. Else does the past matter much? "
            "`summarize`. Else `truncate`. Strategies combine as a list, with `token_budget` last as the outer limit.",
            required=True,
        ),
        Key("max_messages", Number(whole=True, least=1), "`truncate`: how many messages stay (20)."),
        Key("invocations", Number(whole=True, least=1), "`sliding_window`: how many user turns stay (5)."),
        Key(
            "keep_recent", Number(whole=True, least=0), "Messages that always stay (`summarize` 10, `token_budget` 2)."
        ),
        Key("summary_instruction", _TEXT, "`summarize`: what the summarising model is told."),
        Key(
            "model", Str(means="model", empty=False), "`summarize`: the model that summarises; the agent's by default."
        ),
        Key(
            "token_budget", Number(whole=True, least=0), "`token_budget`: tokens for instruction and messages together."
        ),
        Key("chars_per_token", Number(least=0.01), "`token_budget`: characters that count as one token (4)."),
        Key("tokenizer", Str(choices=("model",)), "`token_budget`: count with the model's own tokenizer."),
        _THRESHOLD,
    ),
)

_NUMBER, _WHOLE = Number(), Number(whole=True)
_SETTINGS: dict[str, Shape] = {
    "temperature": Number(least=0),
    "top_p": Number(least=0, most=1),
    "top_k": Number(least=0),
    "candidate_count": Number(whole=True, least=1),
    "max_output_tokens": Number(whole=True, least=1),
    "stop_sequences": ListOf(_TEXT),
    "seed": _WHOLE,
    "presence_penalty": _NUMBER,
    "frequency_penalty": _NUMBER,
    "response_logprobs": Bool(),
    "logprobs": _WHOLE,
    "response_mime_type": _TEXT,
    "response_modalities": ListOf(_TEXT),
    "media_resolution": _TEXT,
    "audio_timestamp": Bool(),
    "should_return_http_response": Bool(),
    "safety_settings": ListOf(Anything()),
    "labels": MapOf(_TEXT),
    "cached_content": _TEXT,
    **{
        name: Anything()
        for name in (
            "http_options", "response_schema", "response_json_schema", "routing_config", "model_selection_config",
            "tool_config", "speech_config", "automatic_function_calling", "thinking_config", "image_config",
            "enable_enhanced_civic_answers", "system_instruction", "tools",
        )
    },
}  # fmt: skip
"""Settings of `google.genai.types.GenerateContentConfig`; each is also known by its camelCase name."""


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


GENERATE_CONTENT_CONFIG = Fields(
    "setting",
    tuple(
        Key(
            name, shape, f"`{name}` of the model's generation settings.", aliases=(_camel(name),) if "_" in name else ()
        )
        for name, shape in _SETTINGS.items()
    ),
)

_STATE_ENTRY_KEYS = ("sample", "default", "description", "type", "required")
STATE_ENTRY = Fields(
    "state key",
    (
        Key("sample", Anything(), "A value for the preview, `compile` and rehearsals."),
        Key("default", Anything(), "A value that is put into a new session."),
        Key("description", _TEXT, "What the value means."),
        Key(
            "type", Str(choices=("string", "number", "integer", "boolean", "array", "object")), "The value's JSON type."
        ),
        Key("required", Bool(), "Whether the application must set it."),
    ),
    when=_STATE_ENTRY_KEYS,
)

_STEP = Fields(
    "step",
    (
        Key("on", _TEXT, "Take this step only when the last user text holds this."),
        Key("call", MapOf(Anything(), key="tool"), "Call tools: `{tool: {argument: value}}`."),
        Key("say", _TEXT, "Answer with this text; `{result.KEY}` is a value of the last tool's result."),
        Key("transfer", Str(means="agent name", empty=False), "Hand the conversation to this agent."),
    ),
    one_of=("call", "say", "transfer"),
)


class AgentKey(Record):
    """A key of a definition, and the kinds of agent that it belongs to."""

    key: Key
    on: frozenset[Kind]


_ALL: frozenset[Kind] = frozenset({"LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent", "Workflow"})
_FLOWS: frozenset[Kind] = frozenset({"SequentialAgent", "ParallelAgent", "LoopAgent"})
_LLM: frozenset[Kind] = frozenset({"LlmAgent"})


def _callbacks(when: str, of: str, on: frozenset[Kind]) -> AgentKey:
    return AgentKey(
        Key(f"{when}_{of}_callbacks", _CALLBACKS, f"Functions that run {when} the {of}; they may answer for it."), on
    )


AGENT_KEYS: tuple[AgentKey, ...] = (
    AgentKey(
        Key(
            "agent_class",
            Str(means="agent class", choices=tuple(sorted(_ALL)), check=agent_class_problem),
            "What kind of agent this is: `LlmAgent` (the default), `SequentialAgent`, `ParallelAgent`, `LoopAgent`, "
            "`Workflow`, or the dotted name of a class of yours.",
        ),
        _ALL,
    ),
    AgentKey(
        Key(
            "name",
            Str(means="agent name", empty=False, check=agent_name_problem),
            "The agent's name: an identifier, unique in its tree.",
            required=True,
        ),
        _ALL,
    ),
    AgentKey(Key("description", _TEXT, "What other agents read when they choose whom to hand over to."), _ALL),
    AgentKey(
        Key(
            "sub_agents",
            ListOf(_SUB_AGENT),
            "Agents below this one: files (`config_path`), Python code (`code`), or definitions written here.",
            aliases=("agents",),
        ),
        _ALL,
    ),
    AgentKey(
        Key(
            "model",
            Str(means="model", empty=False),
            "The model, such as `gemini-2.5-flash`, `claude-sonnet-4-5`, `gpt-5` or `ollama/llama3.2`. Inherited from the nearest ancestor that sets one.",
        ),
        _LLM,
    ),
    AgentKey(
        Key(
            "instruction",
            _INSTRUCTION,
            "What the agent is told at each request; `{key}` is filled from session state. The dynamic half of the prompt.",
        ),
        _LLM,
    ),
    AgentKey(
        Key(
            "global_instruction",
            _INSTRUCTION,
            "Stands first in the prompt of this agent and of its descendants that set none. Part of the static half.",
        ),
        _LLM,
    ),
    AgentKey(
        Key("identity", _TEXT, "Who the agent is, as fixed text. Without it: `You are NAME.` and the description."),
        _LLM,
    ),
    AgentKey(
        Key("static_instruction", _TEXT, "Fixed text that is never substituted, so that providers can cache it."), _LLM
    ),
    AgentKey(
        Key(
            "output_schema",
            OneOf(
                (
                    Fields(
                        "schema reference",
                        (Key("name", _DOTTED, "Dotted name of a pydantic model.", required=True),),
                        when=("name",),
                    ),
                    JsonSchema(),
                )
            ),
            "JSON Schema of the answer, or `{name: …}` of a pydantic model.",
        ),
        _LLM,
    ),
    AgentKey(Key("output_key", Str(means="state key", empty=False), "State key that receives the final text."), _LLM),
    AgentKey(
        Key(
            "tools",
            OneOf((ListOf(_TOOL), _FUNCTION)),
            "What the agent can call: built-in tools, Python functions, tools declared here, or a function that returns the list.",
        ),
        _LLM,
    ),
    AgentKey(
        Key(
            "context_compressor",
            OneOf((ListOf(_COMPRESSOR), _COMPRESSOR)),
            "How a long conversation is kept short: one strategy, or a list that runs in order.",
        ),
        _LLM,
    ),
    AgentKey(
        Key(
            "generate_content_config",
            GENERATE_CONTENT_CONFIG,
            "Settings of the model: temperature, top_p, max_output_tokens, …",
        ),
        _LLM,
    ),
    AgentKey(
        Key(
            "include_contents",
            Str(choices=("default", "none")),
            "`none` shows the agent only what came since the latest user message or hand-on.",
        ),
        _LLM,
    ),
    AgentKey(
        Key("disallow_transfer_to_parent", Bool(), "The agent can't hand the conversation back to its parent."), _LLM
    ),
    AgentKey(Key("disallow_transfer_to_peers", Bool(), "The agent can't hand the conversation to its siblings."), _LLM),
    AgentKey(
        Key("max_iterations", Number(whole=True, least=1), "How many rounds the loop runs at most."),
        frozenset({"LoopAgent"}),
    ),
    AgentKey(
        Key("edges", Anything(), "The graph of an ADK 2 workflow. References are checked; Rolebook doesn't run it."),
        frozenset({"Workflow"}),
    ),
    AgentKey(
        Key(
            "state",
            MapOf(OneOf((STATE_ENTRY, Anything())), key="state key"),
            "Session state that the agent expects: `key: sample`, or a mapping with `sample`, `default`, `description`, `type`, `required`.",
        ),
        _ALL,
    ),
    AgentKey(
        Key(
            "template_syntax",
            Str(choices=("braces", "angles")),
            "How placeholders are written: `{name}` or `<name>`. Inherited.",
        ),
        _ALL,
    ),
    _callbacks("before", "agent", _ALL),
    _callbacks("after", "agent", _ALL),
    _callbacks("before", "model", _LLM),
    _callbacks("after", "model", _LLM),
    _callbacks("before", "tool", _LLM),
    _callbacks("after", "tool", _LLM),
    AgentKey(Key("model_code", _CODE, "A model object in Python code, as in ADK."), _LLM),
    AgentKey(
        Key("input_schema", _CODE, "Dotted name of a pydantic model for the agent's input when it is used as a tool."),
        _LLM,
    ),
    AgentKey(
        Key(
            "rehearsal",
            ListOf(_STEP),
            "A script for the embedded offline model: what the agent says, calls and hands over, turn by turn.",
        ),
        _LLM,
    ),
)

_BY_NAME = {name: entry for entry in AGENT_KEYS for name in (entry.key.name, *entry.key.aliases)}


def agent_key(name: str) -> AgentKey | None:
    """The row of the table for a key or one of its aliases."""
    return _BY_NAME.get(name)


def fields_of(kind: Kind) -> Fields:
    """The keys of one kind of agent. A user's own class takes any key, so nothing is said of it."""
    return _FIELDS[kind]


_FIELDS = {kind: Fields(kind, tuple(entry.key for entry in AGENT_KEYS if kind in entry.on)) for kind in _ALL}
