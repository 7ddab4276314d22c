"""Tools: what a name stands for, and whether google-adk can make a tool of it with the `args` given."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.adk_names import PACKAGE, Known, adk
from rolebook.definition.adk_shapes import misfits
from rolebook.definition.names import did_you_mean
from rolebook.rules.adk.file import File, Refusal
from rolebook.rules.adk.names import resolve
from rolebook.rules.adk.references import agent_reference, items, text_of
from rolebook.syntax.yaml import Mapping, Node, Scalar
from rolebook.text import Span

_CONNECTIONS = (
    "stdio_server_params",
    "stdio_connection_params",
    "sse_connection_params",
    "streamable_http_connection_params",
)
_CALLABLE = ("function", "class", "agent class")
_NO_ARGUMENTS = Mapping(Span(0, 0), ())


def check(file: File) -> Iterator[Refusal]:
    if file.cls != "LlmAgent":
        return
    for item in items(file.node.get("tools")):
        entry = item.get("name") if isinstance(item, Mapping) else None
        told = text_of(entry.value) if entry is not None else None
        if isinstance(item, Mapping) and told is not None:
            yield from _tool(file, item, *told)


def _tool(file: File, item: Mapping, name: str, span: Span) -> Iterator[Refusal]:
    known = _known(file, name)
    args = item.get("args")
    given = args.value if args is not None and not _is_null(args.value) else _NO_ARGUMENTS
    if isinstance(known, str):
        yield Refusal(span, known)
    elif known.kind in ("value", "agent"):
        yield Refusal(span, f"can't call `{name}`, so it is no tool")
    elif known.kind in ("tool class", "toolset class"):
        if isinstance(given, Mapping):
            yield from _made(file, known.cls, given, span)
    elif given is not _NO_ARGUMENTS and known.kind in _CALLABLE and _is_of_adk(name):
        yield Refusal(span, f"calls `{name}` with the `args` while it loads, and it takes none such")


def _known(file: File, name: str) -> Known | str:
    if "." in name:
        return resolve(file.subject, name)
    known = adk().find(f"{PACKAGE}.tools.{name}")
    if known.kind != "missing":
        return known
    names = (name for names in adk().modules[f"{PACKAGE}.tools"].values() for name in names)
    return f"has no built-in tool `{name}`{did_you_mean(name, names)}"


def _made(file: File, cls: str, args: Mapping, span: Span) -> Iterator[Refusal]:
    """What keeps google-adk from making an instance of one of its tool classes; `span` is the place of its name."""
    how = adk().tools.get(cls, {"any": True})
    if "schema" in how:
        yield from _by_schema(file, cls, how["schema"], args, span)
    elif "parameters" in how:
        for name, parameter in how["parameters"].items():
            given = args.get(name)
            if given is None and parameter.get("required"):
                yield Refusal(span, f"needs `{name}` among the `args` of `{cls}`")
            elif given is not None and parameter.get("callable"):
                yield from _callable(file, given.value, name)
        if cls == "VertexAiSearchTool":
            yield from _exactly_one(args, ("data_store_id", "search_engine_id"), cls, span)
    elif "any" not in how:
        yield Refusal(span, f"makes no `{cls}` from a definition; make one in Python and name that")


def _by_schema(file: File, cls: str, schema: str, args: Mapping, span: Span) -> Iterator[Refusal]:
    schemas = adk().schemas
    for misfit in misfits(args, schemas[schema], schemas, f"`{cls}`"):
        yield Refusal(misfit.span if misfit.span.end else span, misfit.message)
    if schema == "AgentToolConfig":
        agent = args.get("agent")
        if agent is not None:
            yield from agent_reference(file, agent.value)
    elif schema == "McpToolsetConfig":
        yield from _exactly_one(args, _CONNECTIONS, cls, span)
        for name in _CONNECTIONS[:2]:
            if (entry := args.get(name)) is not None and not _is_null(entry.value):
                yield Refusal(entry.key.span, "starts no MCP server of a definition's unless its environment allows it")
    elif schema == "ExampleToolConfig":
        examples = args.get("examples")
        if examples is not None and text_of(examples.value) is not None:
            yield from _callable(file, examples.value, "examples")


def _callable(file: File, node: Node, name: str) -> Iterator[Refusal]:
    told = text_of(node)
    if told is None:
        yield Refusal(node.span, f"wants a dotted name for `{name}`")
    elif isinstance(known := resolve(file.subject, told[0]), str):
        yield Refusal(told[1], known)


def _exactly_one(args: Mapping, names: tuple[str, ...], cls: str, span: Span) -> Iterator[Refusal]:
    given = [entry for entry in args if entry.name in names and not _is_null(entry.value)]
    if len(given) != 1:
        where = given[1].key.span if given else span
        yield Refusal(where, f"wants exactly one of {', '.join(f'`{name}`' for name in names)} for `{cls}`")


def _is_of_adk(name: str) -> bool:
    return "." not in name or name.startswith(f"{PACKAGE}.")


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None
