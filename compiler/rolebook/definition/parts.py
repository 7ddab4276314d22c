"""The table of keys, below the agent: what stands in providers, callbacks, sub-agents, tools, compressors and steps."""

from __future__ import annotations

from rolebook.definition.json_types import JSON_TYPES
from rolebook.definition.names import (
    agent_name_problem,
    dotted_name_problem,
    object_name_problem,
    state_key_problem,
    tool_name_problem,
)
from rolebook.definition.shapes import (
    Anything,
    Bool,
    Case,
    Definition,
    Fields,
    JsonSchema,
    Key,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Str,
)

TEXT = Str()
OBJECT_NAME = Str(means="dotted name", empty=False, check=object_name_problem)
STATE_KEY = Str(means="state key", empty=False, check=state_key_problem)
_MODEL = Str(means="model", empty=False)
_COUNT, _SIZE = Number(whole=True, least=1), Number(whole=True, least=0)

PROVIDER = Fields(
    "provider",
    (
        Key("function", OBJECT_NAME, "Dotted name of a function `(context, *args)`; it may be async.", required=True),
        Key("args", ListOf(Anything()), "What the function gets after the context."),
    ),
)

_ARGUMENT = Fields(
    "argument",
    (
        Key("name", TEXT, "The parameter's name; without it the value goes by its place.", null=True),
        Key("value", Anything(), "What the parameter gets.", required=True),
    ),
)
_ARGS = Key("args", ListOf(_ARGUMENT), "Arguments, as google-adk 1 takes them.", null=True)

CALLBACKS = ListOf(
    Fields(
        "callback",
        (
            Key(
                "name",
                Str(means="callback", empty=False, check=object_name_problem),
                "Dotted name of the function.",
                required=True,
            ),
            _ARGS,
        ),
        bare="name",
    )
)

CODE = Fields(
    "code reference",
    (Key("name", OBJECT_NAME, "Dotted name of a class, function or variable.", required=True), _ARGS),
    bare="name",
)
SCHEMA_NAME = Fields(
    "schema reference",
    (Key("name", OBJECT_NAME, "Dotted name of a pydantic model.", required=True), _ARGS),
    when=("name", "args"),
    only=True,
)

CONTENT = Fields(
    "content",
    (
        Key(
            "parts",
            ListOf(Fields("part", (Key("text", TEXT, "The part's text.", required=True),), bare="text")),
            "The parts, which are joined with a blank line.",
            required=True,
        ),
        Key("role", TEXT, "Not used here.", null=True),
    ),
)
"""google-adk's own form of a fixed text (`google.genai.types.Content`), as far as it is text."""

SUB_AGENT = OneOf(
    (
        Fields(
            "sub-agent",
            (
                Key("config_path", Str(means="file", empty=False), "A definition file, relative to this one."),
                Key("code", OBJECT_NAME, "Dotted name of an agent in Python code."),
            ),
            when=("config_path", "code"),
            one_of=("config_path", "code"),
            bare="config_path",
        ),
        Definition(),
    )
)

DECLARED_TOOL = Fields(
    "declared tool",
    (
        Key(
            "name",
            Str(means="tool name", empty=False, check=tool_name_problem),
            "The name by which the model calls the tool.",
            required=True,
        ),
        Key("description", TEXT, "What the model reads about the tool; by default the function's docstring."),
        Key("parameters", JsonSchema(of_object=True), "JSON Schema of the arguments; by default the function's own."),
        Key("function", OBJECT_NAME, "Dotted name of the function that is called.", required=True),
    ),
    when=("function", "parameters"),
)
TOOL = Fields(
    "tool",
    (
        Key(
            "name",
            Str(means="tool", empty=False, check=dotted_name_problem),
            "A built-in tool, or the dotted name of a function, tool class or toolset.",
            required=True,
        ),
        Key("args", MapOf(Anything()), "Arguments of a tool class or toolset.", null=True),
        Key("description", TEXT, "What the model reads about the tool; by default the function's docstring."),
    ),
    bare="name",
)

COMPRESSOR = Fields(
    "compressor",
    (
        Key(
            "strategy",
            Str(choices=("truncate", "sliding_window", "summarize", "token_budget")),
            "How a long conversation is kept short.\n\n"
            "| strategy | keeps | best for |\n"
            "| --- | --- | --- |\n"
            "| `truncate` | the last `max_messages` messages | simple chats, prototypes |\n"
            "| `sliding_window` | the last `invocations` user turns with their tool calls | agents with many tools |\n"
            "| `summarize` | a summary, and the last `keep_recent` messages word for word "
            "| long talks that need all of it |\n"
            "| `token_budget` | what fits into `token_budget`, newest first | a limit on cost |\n\n"
            "A fixed budget? `token_budget`. Else many tools? `sliding_window`. Else does the past matter much? "
            "`summarize`. Else `truncate`. Strategies combine as a list, with `token_budget` last as the outer limit."
            "\n\nA call and its responses are never parted, and the newest messages always stay. A summary is a model "
            "call: keep `threshold` well above `keep_recent`, or every message asks for a new one.",
            required=True,
        ),
        Key("max_messages", _COUNT, "How many messages stay (20)."),
        Key("invocations", _COUNT, "How many user turns stay (5)."),
        Key("keep_recent", _SIZE, "Messages that always stay (`summarize` 10, `token_budget` 2)."),
        Key("summary_instruction", TEXT, "What the summarising model is told."),
        Key("model", _MODEL, "The model that summarises; the agent's by default."),
        Key("token_budget", _SIZE, "Tokens for instruction and messages together; tools aren't counted."),
        Key("chars_per_token", Number(least=0.01), "Characters that count as one token (4).", not_with=("tokenizer",)),
        Key("tokenizer", Str(choices=("model",)), "`model` counts with the model's own tokenizer."),
        Key("threshold", _SIZE, "The strategy runs only on more messages than this (0)."),
    ),
    bare="strategy",
    by="strategy",
    cases=(
        Case("truncate", ("max_messages",)),
        Case("sliding_window", ("invocations",)),
        Case("summarize", ("keep_recent", "summary_instruction", "model")),
        Case(
            "token_budget",
            ("token_budget", "keep_recent", "chars_per_token", "tokenizer"),
            needs=("token_budget",),
        ),
    ),
)

_TYPES = tuple(name for name in JSON_TYPES if name != "null")
STATE_ENTRY = Fields(
    "state entry",
    (
        Key("sample", Anything(), "A value for the preview, `compile` and rehearsals.", typed_by="type"),
        Key("default", Anything(), "A value that is put into a new session.", typed_by="type"),
        Key("description", TEXT, "What the value means."),
        Key("type", Str(means="JSON type", choices=_TYPES), "The value's JSON type."),
        Key("required", Bool(), "Whether the application must set it."),
    ),
    when=("sample", "default", "description", "type", "required"),
    only=True,
)

STEP = Fields(
    "step",
    (
        Key("on", TEXT, "Take this step only when the last user text holds this."),
        Key(
            "call",
            MapOf(MapOf(Anything()), key=Str(means="tool", empty=False), empty=False, null=True),
            "Call tools: `{tool: {argument: value}}`.",
        ),
        Key("say", TEXT, "Answer with this text; `{result.KEY}` is a value of the last tool's result."),
        Key(
            "transfer",
            Str(means="agent name", empty=False, check=agent_name_problem),
            "Hand the conversation to this agent.",
        ),
    ),
    one_of=("call", "say", "transfer"),
    bare="say",
)

_NODE = Str(empty=False)
_EDGE = Fields(
    "edge",
    (
        Key("from_node", Anything(), "Where the edge starts.", required=True),
        Key("to_node", Anything(), "Where it leads.", required=True),
        Key("route", Anything(), "The result of `from_node` on which it is taken."),
    ),
)
EDGES = ListOf(OneOf((ListOf(OneOf((_NODE, ListOf(_NODE), MapOf(Anything())))), _EDGE)))
