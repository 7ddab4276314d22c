"""`LlmRequest` to a Chat Completions body, for OpenAI and for every server that speaks it.

The instruction goes as one system message. Two of them would cache no better, since automatic prefix caching compares
tokens from the start and knows no messages, and the chat templates of Qwen, Gemma and Mistral, as vLLM and llama.cpp
run them, refuse a second one ("System message must be at the beginning", vllm#41114, llama.cpp#14246; read 2026-11).

Sources: OpenAI's API reference of Chat Completions; docs.ollama.com/api/openai-compatibility, read 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rolebook.json import compact
from rolebook.models import facts
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, TextPart
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.wire.parts import is_hole, left_out, media, visible_text
from rolebook.wire.payload import (
    NO_PARAMETERS,
    OMITTED,
    ToolChoice,
    Wire,
    has_declarations,
    output_schema,
    settings,
    wanted_choice,
    wire,
)
from rolebook.wire.providers import is_openai_model, split_model, wire_name
from rolebook.wire.repair import Turn, repaired

SERVICE = "Chat Completions"

_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "stop_sequences": "stop",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "candidate_count": "n",
}
_HANDLED = frozenset(
    {"max_output_tokens", "response_logprobs", "logprobs", "response_mime_type", "response_json_schema", "tool_config"}
)
# Servers that document `top_k` beside OpenAI's own settings; elsewhere it is an unknown field.
_TOP_K_SERVERS = frozenset({"vllm", "llamacpp", "lmstudio", "openrouter"})


def body(request: LlmRequest, stream: bool = True) -> Wire:
    """The body of `POST …/chat/completions`. Holes among tools and as schema stay in it as `{"hole": NAME}`.

    The schema goes without `strict`, under which OpenAI refuses every schema that leaves a property optional.
    """
    warnings: list[str] = []
    config = request.generate_content_config
    payload: dict[str, Any] = {"model": wire_name(request.model)} if request.model else {}
    payload["messages"] = [*_system(request), *_messages(repaired(request.messages), warnings)]
    if request.tools:
        payload["tools"] = [_tool(tool) for tool in request.tools]
    choice = wanted_choice(config)
    if choice and has_declarations(request):
        payload["tool_choice"] = _tool_choice(choice, warnings)
    response_format = _response_format(request, warnings)
    if response_format:
        payload["response_format"] = response_format
    payload |= _settings(request, warnings)
    if stream:
        payload |= {"stream": True, "stream_options": {"include_usage": True}}
    return wire(payload, warnings)


def _system(request: LlmRequest) -> Iterator[dict[str, Any]]:
    if request.instruction:
        yield {"role": "system", "content": request.instruction}


def _messages(turns: Sequence[Turn], warnings: list[str]) -> Iterator[dict[str, Any]]:
    for turn in turns:
        if turn.role == "model":
            yield _assistant(turn, warnings)
        else:
            yield from _user(turn, warnings)


def _assistant(turn: Turn, warnings: list[str]) -> dict[str, Any]:
    calls = [_tool_call(part) for part in turn.parts if isinstance(part, FunctionCall)]
    content = _content(turn, warnings)
    if calls:
        return {"role": "assistant", "content": content, "tool_calls": calls}
    return {"role": "assistant", "content": content if content is not None else OMITTED}


def _user(turn: Turn, warnings: list[str]) -> Iterator[dict[str, Any]]:
    responses = [part for part in turn.parts if isinstance(part, FunctionResponse)]
    for part in responses:
        told = part.response if isinstance(part.response, str) else compact(part.response)
        yield {"role": "tool", "tool_call_id": part.id, "content": told}
    content = _content(turn, warnings)
    if content is not None or not responses:
        yield {"role": "user", "content": content if content is not None else OMITTED}


def _content(turn: Turn, warnings: list[str]) -> str | list[dict[str, Any]] | None:
    """A turn's texts and media, None where there are none. Texts alone are one string, as plain servers want it."""
    items: list[dict[str, Any]] = []
    for part in turn.parts:
        match part:
            case TextPart(text):
                items.append({"type": "text", "text": text})
            case OtherPart():
                items.extend(_other(part, turn, warnings))
    if not items:
        return None
    if all(item.get("type") == "text" for item in items):
        return "\n\n".join(item["text"] for item in items)
    return items


def _other(part: OtherPart, turn: Turn, warnings: list[str]) -> Iterator[dict[str, Any]]:
    text, found = visible_text(part.data), media(part.data)
    if is_hole(part.data):
        yield dict(part.data)
    elif text is not None:
        yield {"type": "text", "text": text}
    elif found and found.mime_type.startswith("image/") and turn.role == "user":
        url = found.uri or f"data:{found.mime_type};base64,{found.data}"
        yield {"type": "image_url", "image_url": {"url": url}}
    else:
        warnings.extend(left_out(part.data, SERVICE))


def _tool_call(part: FunctionCall) -> dict[str, Any]:
    return {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": compact(part.args)}}


def _tool(tool: Declaration | Hole) -> dict[str, Any]:
    if isinstance(tool, Hole):
        return tool.to_json()
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters or NO_PARAMETERS}
    return {"type": "function", "function": function}


def _tool_choice(choice: ToolChoice, warnings: list[str]) -> str | dict[str, Any]:
    if choice.mode == "any" and len(choice.names) == 1:
        return {"type": "function", "function": {"name": choice.names[0]}}
    if choice.names:
        warnings.append(f"{SERVICE} can't narrow tool calls to several names; `allowed_function_names` is left out")
    return {"auto": "auto", "any": "required", "none": "none"}[choice.mode]


def _response_format(request: LlmRequest, warnings: list[str]) -> dict[str, Any] | None:
    schema = output_schema(request)
    model = request.model or ""
    if schema is not None and is_openai_model(model) and facts(model).schema is False:
        warnings.append(f"the model `{model}` takes no schema; it stands in the instruction alone")
        return None
    if schema is not None:
        return {"type": "json_schema", "json_schema": {"name": _schema_name(schema.get("title")), "schema": schema}}
    mime_type = request.generate_content_config.get("response_mime_type")
    if mime_type == "application/json":
        return {"type": "json_object"}
    if mime_type not in (None, "text/plain"):
        warnings.append(f"{SERVICE} has no `response_mime_type` {mime_type}; it is left out")
    return None


def _schema_name(title: object) -> str:
    """The schema's title as the name that OpenAI demands: letters, digits, `_` and `-`, at most 64 of them."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", title)[:64] if isinstance(title, str) else ""
    return name or "output"


def _settings(request: LlmRequest, warnings: list[str]) -> dict[str, Any]:
    config = request.generate_content_config
    model = request.model or ""
    prefix, _ = split_model(model)
    own = is_openai_model(model)
    refused = _refused(model) if own else frozenset[str]()
    names = _NAMES | ({"top_k": "top_k"} if prefix in _TOP_K_SERVERS else {})
    taken, remarks = settings(config, names, handled=_HANDLED, refused=refused, service=SERVICE, model=request.model)
    warnings.extend(remarks)
    limit, top = config.get("max_output_tokens"), config.get("logprobs")
    if limit is not None:  # OpenAI's reasoning models refuse `max_tokens`, older servers don't know its successor
        taken["max_completion_tokens" if own else "max_tokens"] = limit
    if "logprobs" not in refused and (config.get("response_logprobs") or top is not None):
        taken["logprobs"] = True
    if "logprobs" not in refused and top is not None:
        taken["top_logprobs"] = top
    return taken


def _refused(model: str) -> frozenset[str]:
    """The settings that OpenAI answers with status 400 for this model. Some only while it thinks; unasked it may."""
    known = facts(model)
    thinking = known.refused_thinking if known.thinks in ("always", "by default") else ()
    return frozenset({*known.refused, *thinking})
