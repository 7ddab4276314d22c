"""`LlmRequest` to the body of Anthropic's Messages API.

Sources on platform.claude.com/docs, read 2026-11 in stored copies: build-with-claude/structured-outputs (the schema
goes in `output_config.format`, which replaced the beta's `output_format`), models/sonnet-5/migration-guide (sampling
settings are refused), build-with-claude/prompt-caching (the prefix runs tools, system, messages).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rolebook.json import JsonValue, compact
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.wire.anthropic_schema import accepted
from rolebook.wire.parts import Media, is_anthropic_thought, is_hole, left_out, media, visible_text
from rolebook.wire.payload import (
    NO_PARAMETERS,
    OMITTED,
    Wire,
    has_declarations,
    output_schema,
    settings,
    wanted_choice,
    wire,
)
from rolebook.wire.providers import wire_name
from rolebook.wire.repair import Turn, repaired

SERVICE = "Anthropic"

# The API demands a limit. This one is below the ceiling of every Claude since 4, and leaves room for thinking.
DEFAULT_MAX_TOKENS = 16_384
DEFAULT_MAX_TOKENS_BEFORE_4 = 4_096

_CACHED = {"cache_control": {"type": "ephemeral"}}
_NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "stop_sequences": "stop_sequences"}
_HANDLED = frozenset({"max_output_tokens", "response_mime_type", "response_json_schema", "tool_config"})
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})

# `claude-opus-4-6`, `claude-sonnet-4-5-20250929`, `claude-sonnet-5`; older names put the version first.
_VERSION = re.compile(r"claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")
_OLDER_NAME = re.compile(r"claude-(?:\d|instant)")
_CLAUDE_3 = (3, 0)
_NEWEST = (99, 0)
_FIRST_WITHOUT_SAMPLING = (4, 7)
_FIRST_WITH_SCHEMA = (4, 5)


def body(request: LlmRequest, stream: bool = True) -> Wire:
    """The body of `POST /v1/messages`. Holes among tools and as schema stay in it as `{"hole": NAME}`."""
    warnings: list[str] = []
    payload: dict[str, Any] = {"model": wire_name(request.model)} if request.model else {}
    payload["max_tokens"] = _limit(request)
    if request.tools:
        payload["tools"] = _tools(request)
    if has_declarations(request):
        payload |= _tool_choice(request, warnings)
    system = list(_system(request))
    if system:
        payload["system"] = system
    payload["messages"] = [_message(turn, warnings) for turn in repaired(request.messages)]
    payload |= _output_config(request, warnings)
    payload |= _settings(request, warnings)
    if stream:
        payload["stream"] = True
    return wire(payload, warnings)


def _limit(request: LlmRequest) -> JsonValue:
    limit = request.generate_content_config.get("max_output_tokens")
    if limit is not None:
        return limit
    return DEFAULT_MAX_TOKENS if _version(request.model) >= (4, 0) else DEFAULT_MAX_TOKENS_BEFORE_4


def _tools(request: LlmRequest) -> list[dict[str, Any]]:
    tools = [_tool(tool) for tool in request.tools]
    declared = [index for index, tool in enumerate(request.tools) if isinstance(tool, Declaration)]
    if declared:
        tools[declared[-1]] |= _CACHED
    return tools


def _tool(tool: Declaration | Hole) -> dict[str, Any]:
    if isinstance(tool, Hole):
        return tool.to_json()
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": tool.parameters or NO_PARAMETERS}


def _tool_choice(request: LlmRequest, warnings: list[str]) -> dict[str, Any]:
    choice = wanted_choice(request.generate_content_config)
    if choice is None:
        return {}
    if choice.mode == "any" and len(choice.names) == 1:
        return {"tool_choice": {"type": "tool", "name": choice.names[0]}}
    if choice.names:
        warnings.append(f"{SERVICE} can't narrow tool calls to several names; `allowed_function_names` is left out")
    return {"tool_choice": {"type": choice.mode}}


def _system(request: LlmRequest) -> Iterator[dict[str, Any]]:
    """The halves as two blocks, the breakpoint after the first. Blank blocks are refused, so they are left out."""
    if request.static_system_instruction.strip():
        yield {"type": "text", "text": request.static_system_instruction, **_CACHED}
    if request.dynamic_system_instruction.strip():
        yield {"type": "text", "text": request.dynamic_system_instruction}


def _message(turn: Turn, warnings: list[str]) -> dict[str, Any]:
    blocks = [block for part in turn.parts for block in _blocks(part, turn, warnings)]
    while blocks and is_anthropic_thought(blocks[-1]):  # an answer cut off in its thoughts; the API takes none as last
        blocks.pop()
    role = "assistant" if turn.role == "model" else "user"
    return {"role": role, "content": blocks or [{"type": "text", "text": OMITTED}]}


def _blocks(part: Part, turn: Turn, warnings: list[str]) -> Iterator[dict[str, Any]]:
    match part:
        case TextPart(text):
            yield {"type": "text", "text": text}
        case FunctionCall(id, name, args):
            yield {"type": "tool_use", "id": id, "name": name, "input": args}
        case FunctionResponse(id, _, response):
            told = response if isinstance(response, str) else compact(response)
            content = {"content": told} if told.strip() else {}
            yield {"type": "tool_result", "tool_use_id": id, **content}
        case OtherPart():
            yield from _other(part, turn, warnings)


def _other(part: OtherPart, turn: Turn, warnings: list[str]) -> Iterator[dict[str, Any]]:
    """A part of another kind. A thought of Anthropic's own goes back as it came, where the API checks its signature."""
    text, found = visible_text(part.data), media(part.data)
    block = _media(found) if found and turn.role == "user" else None
    if is_hole(part.data) or (is_anthropic_thought(part.data) and turn.role == "model"):
        yield dict(part.data)
    elif text is not None:
        yield {"type": "text", "text": text}
    elif block:
        yield block
    else:
        warnings.extend(left_out(part.data, SERVICE))


def _media(found: Media) -> dict[str, Any] | None:
    if found.mime_type in _IMAGES:
        kind = "image"
    elif found.mime_type == "application/pdf":
        kind = "document"
    else:
        return None
    if found.uri is not None:
        return {"type": kind, "source": {"type": "url", "url": found.uri}}
    return {"type": kind, "source": {"type": "base64", "media_type": found.mime_type, "data": found.data}}


def _output_config(request: LlmRequest, warnings: list[str]) -> dict[str, Any]:
    """Structured output. The schema is narrowed to what the API takes; models before 4.5 have only the instruction."""
    schema = output_schema(request)
    mime_type = request.generate_content_config.get("response_mime_type")
    if schema is None:
        if mime_type not in (None, "text/plain"):
            warnings.append(f"{SERVICE} has no `response_mime_type` without a schema; it is left out")
        return {}
    if _version(request.model) < _FIRST_WITH_SCHEMA:
        warnings.append(f"the model `{request.model}` takes no schema; it stands in the instruction alone")
        return {}
    narrowed, dropped = (schema, []) if isinstance(request.output_schema, Hole) else accepted(schema)
    warnings.extend(f"{SERVICE} takes no `{key}` in an output schema; it is left out" for key in dropped)
    return {"output_config": {"format": {"type": "json_schema", "schema": narrowed}}}


def _settings(request: LlmRequest, warnings: list[str]) -> dict[str, Any]:
    config = request.generate_content_config
    without_sampling = _version(request.model) >= _FIRST_WITHOUT_SAMPLING
    refused = frozenset({"temperature", "top_p", "top_k"}) if without_sampling else frozenset[str]()
    taken, remarks = settings(config, _NAMES, handled=_HANDLED, refused=refused, service=SERVICE, model=request.model)
    warnings.extend(remarks)
    temperature = taken.get("temperature")
    if isinstance(temperature, int | float) and temperature > 1:
        warnings.append(f"{SERVICE} takes a `temperature` of at most 1 and will refuse {temperature}")
    if "temperature" in taken and "top_p" in taken:
        warnings.append(f"{SERVICE} takes `temperature` or `top_p`; recent models refuse both together")
    return taken


def _version(model: str | None) -> tuple[int, int]:
    """A Claude's version.

    A Claude with a name that we can't read counts as a new one, since those are what we can't know; what is no Claude,
    or no model at all, as one that takes all that the protocol has.
    """
    name = wire_name(model) if model else ""
    if not name.startswith("claude-"):
        return _FIRST_WITH_SCHEMA
    if _OLDER_NAME.match(name):
        return _CLAUDE_3
    found = _VERSION.match(name)
    return (int(found[1]), int(found[2] or 0)) if found else _NEWEST
