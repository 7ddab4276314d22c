"""`LlmRequest` to the body of Gemini's `generateContent`, and to the entry that caches its static half.

Model and streaming stand in the URL (`path`), not in the body.
Sources on ai.google.dev, read 2026-11 in stored copies: api/generate-content, api/caching and, on signatures,
gemini-api/docs/thought-signatures. That JSON output and tools go together from Gemini 3 on: python-genai#867.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.wire.parts import is_anthropic_thought, is_thought, media, signature
from rolebook.wire.payload import OMITTED, Wire, encode, has_declarations, output_schema, settings, wire
from rolebook.wire.providers import wire_name
from rolebook.wire.repair import Turn, repaired

SERVICE = "Gemini"

_GENERATION = (
    *("temperature", "top_p", "top_k", "max_output_tokens", "stop_sequences", "candidate_count", "seed"),
    *("presence_penalty", "frequency_penalty", "response_logprobs", "logprobs"),
    *("response_mime_type", "response_schema", "response_modalities", "media_resolution"),
    *("thinking_config", "speech_config", "image_config", "routing_config", "model_selection_config"),
    *("audio_timestamp", "enable_affective_dialog", "enable_enhanced_civic_answers"),
)
_HANDLED = frozenset({"safety_settings", "labels", "tool_config", "cached_content", "response_json_schema"})

# Gemini 3 refuses a call without the signature that came with it. Where none was kept (another provider made the call,
# or it is older), the documentation gives this value in its place.
_NO_SIGNATURE = "skip_thought_signature_validator"
_NEWEST = 99
_MAJOR = re.compile(r"gemini-(\d+)")


def path(model: str, stream: bool = True) -> str:
    """The URL path after the API version."""
    name = f"models/{quote(wire_name(model), safe='')}"
    return f"{name}:streamGenerateContent?alt=sse" if stream else f"{name}:generateContent"


def body(request: LlmRequest, stream: bool = True) -> Wire:  # noqa: ARG001  the three bodies have one signature
    """The body of `generateContent` and `streamGenerateContent`, uncached.

    Holes among tools and as schema stay in it as `{"hole": NAME}`.
    """
    warnings: list[str] = []
    payload = {
        **_system(request.static_system_instruction, request.dynamic_system_instruction),
        **_tools(request),
        "contents": _contents(repaired(request.messages), request.model),
        **_top_level(request),
        **_generation_config(request, warnings),
    }
    return wire(payload, warnings)


def cache_entry(request: LlmRequest) -> dict[str, Any]:
    """What the `cachedContents` entry of a request's static half consists of.

    Tools and tool config live in it, since Gemini refuses them beside an entry.
    """
    model = {"model": f"models/{wire_name(request.model)}"} if request.model else {}
    return {**model, **_system(request.static_system_instruction), **_tools(request)}


def cache_fingerprint(request: LlmRequest) -> str:
    """The name of what an entry holds, 64 hexadecimal digits: requests of one fingerprint can share an entry."""
    from hashlib import sha256

    return sha256(encode(cache_entry(request))).hexdigest()


def cache_creation(request: LlmRequest, seconds: int) -> dict[str, Any]:
    """The body of `POST cachedContents`, for an entry that lives that long. Its display name has its fingerprint."""
    name = f"rolebook-{cache_fingerprint(request)[:32]}"
    return {**cache_entry(request), "displayName": name, "ttl": f"{seconds}s"}


def cache_renewal(seconds: int) -> dict[str, Any]:
    """The body of `PATCH cachedContents/…`, after which the entry lives that long from now on."""
    return {"ttl": f"{seconds}s"}


def cached_body(request: LlmRequest, entry: str) -> Wire:
    """The body of a request whose static half is in the cache, under the name `entry` (`cachedContents/…`).

    A system instruction can't stand beside an entry either, so the dynamic half becomes the first user content.
    """
    warnings: list[str] = []
    turns = repaired(request.messages)
    dynamic = request.dynamic_system_instruction
    if dynamic.strip():  # the first turn is the user's, once repaired
        turns = (Turn("user", (TextPart(dynamic), *turns[0].parts)), *turns[1:])
    payload = {
        "cachedContent": entry,
        "contents": _contents(turns, request.model),
        **_top_level(request),
        **_generation_config(request, warnings),
    }
    return wire(payload, warnings)


def _system(*texts: str) -> dict[str, Any]:
    parts = [{"text": text} for text in texts if text.strip()]
    return {"systemInstruction": {"parts": parts}} if parts else {}


def _tools(request: LlmRequest) -> dict[str, Any]:
    if not request.tools:
        return {}
    tools: dict[str, Any] = {"tools": [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]}
    config = request.generate_content_config.get("tool_config")
    return tools if config is None else tools | {"toolConfig": _camel(config)}


def _declaration(tool: Declaration | Hole) -> dict[str, Any]:
    if isinstance(tool, Hole):
        return tool.to_json()
    parameters = {"parametersJsonSchema": tool.parameters} if tool.parameters else {}
    return {"name": tool.name, "description": tool.description, **parameters}


def _contents(turns: Sequence[Turn], model: str | None) -> list[dict[str, Any]]:
    return [{"role": turn.role, "parts": list(_parts(turn, model)) or [{"text": OMITTED}]} for turn in turns]


def _parts(turn: Turn, model: str | None) -> Iterator[dict[str, Any]]:
    """A turn's parts. A signature is kept as a part before its call; of parallel calls only the first needs one."""
    waiting = None
    unsigned = _major(model) >= 3
    for part in turn.parts:
        if isinstance(part, FunctionCall):
            found = waiting or (_NO_SIGNATURE if unsigned else None)
            waiting, unsigned = None, False
            yield _part(part) | ({"thoughtSignature": found} if found else {})
        elif not isinstance(part, OtherPart):
            yield _part(part)
        elif signature(part.data) is not None:
            waiting = signature(part.data)
        elif not is_thought(part.data) or (turn.role == "model" and not is_anthropic_thought(part.data)):
            yield _part(part)


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text):
            return {"text": text}
        case FunctionCall(id, name, args):
            return {"functionCall": {"id": id, "name": name, "args": args}}
        case FunctionResponse(id, name, response):
            wrapped = response if isinstance(response, Mapping) else {"result": response}
            return {"functionResponse": {"id": id, "name": name, "response": wrapped}}
        case OtherPart(data):
            return _other(data)


def _other(data: JsonObject) -> dict[str, Any]:
    """Media and signatures under Gemini's names; any other part as it is, since the kinds are Gemini's own."""
    found = media(data)
    if found is None:
        return {_camel_name(key): value for key, value in data.items()}
    mime_type = {"mimeType": found.mime_type} if found.mime_type else {}
    if found.uri is not None:
        return {"fileData": {**mime_type, "fileUri": found.uri}}
    return {"inlineData": {**mime_type, "data": found.data}}


def _top_level(request: LlmRequest) -> dict[str, Any]:
    config = request.generate_content_config
    out: dict[str, Any] = {}
    if config.get("safety_settings") is not None:
        out["safetySettings"] = _camel(config["safety_settings"])
    if config.get("labels") is not None:
        out["labels"] = config["labels"]
    return out


def _generation_config(request: LlmRequest, warnings: list[str]) -> dict[str, Any]:
    config = request.generate_content_config
    names = {name: _camel_name(name) for name in _GENERATION}
    generation, remarks = settings(config, names, handled=_HANDLED, service=SERVICE, model=request.model)
    warnings.extend(remarks)
    if config.get("cached_content") is not None:
        warnings.append("`cached_content` is Rolebook's to set; it is left out")
    for name in generation:
        if name.endswith("Config"):
            generation[name] = _camel(generation[name])
    schema = output_schema(request)
    if schema is not None:
        generation.pop("responseSchema", None)
        generation |= {"responseMimeType": "application/json", "responseJsonSchema": schema}
    if (
        generation.get("responseMimeType") == "application/json"
        and has_declarations(request)
        and _major(request.model) < 3
    ):
        for name in ("responseMimeType", "responseJsonSchema", "responseSchema"):
            generation.pop(name, None)
        warnings.append(
            f"the model `{request.model}` takes no JSON output beside tools; only the instruction asks for it"
        )
    return {"generationConfig": generation} if generation else {}


def _major(model: str | None) -> int:
    """A Gemini's major version: 0 for a Gemma, a new one for a moving name such as `gemini-flash-latest`."""
    name = wire_name(model) if model else ""
    if name.startswith("gemma-"):
        return 0
    found = _MAJOR.match(name)
    return int(found[1]) if found else _NEWEST


def _camel(value: JsonValue) -> JsonValue:
    """The value with the keys of its objects in camelCase."""
    if isinstance(value, Mapping):
        return {_camel_name(key): _camel(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [_camel(item) for item in value]
    return value


def _camel_name(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
