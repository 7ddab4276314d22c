"""Keys and values: google-adk holds a file against pydantic models, and what they let pass against the class itself."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.adk_names import adk
from rolebook.definition.adk_shapes import misfits, setting
from rolebook.definition.names import agent_name_problem
from rolebook.rules.adk.file import File, Refusal
from rolebook.syntax.yaml import Entry, Mapping, Scalar, Sequence

_ELSEWHERE = {
    "tools": "the agent's own `tools`",
    "system_instruction": "`instruction`",
    "response_schema": "`output_schema`",
}
"""Settings of the model that an agent says in another place."""


def check(file: File) -> Iterator[Refusal]:
    schemas = adk().schemas
    name = file.agent.get("schema")
    if name is None:
        return
    for misfit in misfits(file.node, schemas[name], schemas, file.kind):
        yield Refusal(*misfit)
    yield from _nulls(file)
    yield from _name(file.node.get("name"))
    yield from _two_models(file.node)
    yield from _settings(file.node.get("generate_content_config"))


def _nulls(file: File) -> Iterator[Refusal]:
    """Nulls that the schema takes and the class doesn't."""
    for key in file.agent.get("never_null", ()):
        entry = file.node.get(key)
        value = entry.value if entry is not None else None
        if entry is not None and isinstance(value, Scalar) and value.value is None and not value.broken:
            yield Refusal(entry.value.span, f"takes no empty `{key}`; leave the key out")


def _name(entry: Entry | None) -> Iterator[Refusal]:
    value = entry.value if entry is not None else None
    name = value.value if isinstance(value, Scalar) and not value.broken else None
    if value is not None and isinstance(name, str) and (not name or agent_name_problem(name) is not None):
        yield Refusal(value.span, f"takes no agent name `{name}`: it is an identifier other than `user`")


def _two_models(node: Mapping) -> Iterator[Refusal]:
    model, code = node.get("model"), node.get("model_code")
    if model is not None and code is not None and _is_set(model) and _is_set(code):
        yield Refusal(code.key.span, "takes either `model` or `model_code`, not both")


def _settings(config: Entry | None) -> Iterator[Refusal]:
    if config is None or not isinstance(config.value, Mapping):
        return
    schema = adk().schemas["GenerateContentConfig"]
    for entry in config.value:
        name = setting(entry, schema)
        if name in _ELSEWHERE and _is_set(entry):
            yield Refusal(entry.key.span, f"takes no `{entry.name}` here; its place is {_ELSEWHERE[name]}")
        elif name == "http_options" and isinstance(entry.value, Mapping):
            urls = [url for url in entry.value if url.name in ("base_url", "baseUrl") and _is_set(url)]
            for url in urls:
                yield Refusal(url.key.span, f"takes no `{url.name}` here; it belongs to the model")


def _is_set(entry: Entry) -> bool:
    """Whether the value is more than a null or something empty."""
    match entry.value:
        case Scalar(value=value):
            return bool(value)
        case Sequence(items=items):
            return bool(items)
        case Mapping(entries=entries):
            return bool(entries)
