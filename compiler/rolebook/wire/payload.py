"""What the three bodies share: the value they return, its bytes, and how generation settings find their names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from rolebook.json import JsonObject, JsonValue, compact
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.record import Record

NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}

# A turn whose every part is of a kind that the provider doesn't take still needs content.
OMITTED = "(omitted)"


class Wire(Record):
    """The body of one HTTP request, to be read and not changed, since it shares values with the request.

    `warnings` are sentences for the user: what the provider can't honour.
    """

    payload: dict[str, Any]
    warnings: tuple[str, ...] = ()


def wire(payload: dict[str, Any], warnings: Iterable[str]) -> Wire:
    """The body with each warning once, however many messages give rise to it."""
    return Wire(payload, tuple(dict.fromkeys(warnings)))


class ToolChoice(Record):
    """Whether the model may, must or must not call a tool; `names` narrows the choice, empty for all tools."""

    mode: Literal["auto", "any", "none"]
    names: tuple[str, ...]


def encode(payload: object) -> bytes:
    """The payload as compact UTF-8 JSON, the bytes that are sent and previewed.

    Halves of a surrogate pair are put together, and a lone one becomes U+FFFD, since UTF-8 holds neither.
    """
    text = compact(payload)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def settings(
    config: Mapping[str, JsonValue],
    names: Mapping[str, str],
    *,
    handled: Collection[str],
    refused: Collection[str] = (),
    service: str,
    model: str | None,
) -> tuple[dict[str, Any], list[str]]:
    """The settings that go over as they are, under the service's `names` and in their order, and warnings for the rest.

    `handled` names those that the caller sees to, `refused` those that the service has but this model rejects.
    A setting that is null counts as not set.
    """
    given = {name: value for name, value in config.items() if value is not None}
    taken = {names[name]: given[name] for name in names if name in given and name not in refused}
    warnings = []
    for name in given:
        if name not in names and name not in handled:
            warnings.append(f"{service} has no setting `{name}`; it is left out")
        elif name in refused:
            warnings.append(f"the model `{model}` takes no `{name}`; it is left out")
    return taken, warnings


def output_schema(request: LlmRequest) -> JsonObject | None:
    """The JSON Schema of the answer; a hole stands as `{"hole": NAME}`."""
    schema = request.output_schema
    if isinstance(schema, Hole):
        return schema.to_json()
    if schema is not None:
        return schema
    configured = request.generate_content_config.get("response_json_schema")
    return configured if isinstance(configured, Mapping) else None


def wanted_choice(config: Mapping[str, JsonValue]) -> ToolChoice | None:
    """What `tool_config.function_calling_config` asks for; None where it asks for nothing that we know."""
    calling = _entry(config.get("tool_config"), "function_calling_config", "functionCallingConfig")
    mode = _entry(calling, "mode")
    names = _entry(calling, "allowed_function_names", "allowedFunctionNames")
    allowed = tuple(str(name) for name in names) if isinstance(names, list | tuple) else ()
    match mode.lower() if isinstance(mode, str) else None:
        case "auto" | "any" | "none" as known:
            return ToolChoice(known, allowed)
    return None


def has_declarations(request: LlmRequest) -> bool:
    return any(isinstance(tool, Declaration) for tool in request.tools)


def _entry(value: JsonValue, *names: str) -> JsonValue:
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in names if name in value), None)
