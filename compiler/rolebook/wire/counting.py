"""Requests that ask a provider to count a request's tokens. Nothing is generated, and none of the three charges for it.

Sources, read 2026-11 in stored copies: ai.google.dev/api/tokens (`countTokens` with `generateContentRequest`),
platform.claude.com/docs/en/api/messages-count-tokens, developers.openai.com/api/reference (`responses/input_tokens`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from rolebook.prompt.request import LlmRequest
from rolebook.record import Record
from rolebook.wire import anthropic, gemini, openai
from rolebook.wire.providers import Provider, wire_name

_COUNTED_BY_ANTHROPIC = ("model", "system", "messages", "tools", "tool_choice", "thinking", "output_config")


class CountRequest(Record):
    """`path` comes after the API's base address, `answer` is the field of the answer that holds the number."""

    path: str
    payload: Mapping[str, Any]
    answer: str


def count_request(request: LlmRequest, provider: Provider) -> CountRequest:
    """What asks `provider` for the tokens of `request`, which has a model."""
    name = wire_name(request.model or "")
    if provider == "gemini":
        whole = {"model": f"models/{name}", **gemini.body(request, stream=False).payload}
        return CountRequest(
            f"models/{quote(name, safe='')}:countTokens", {"generateContentRequest": whole}, "totalTokens"
        )
    if provider == "anthropic":
        body = anthropic.body(request, stream=False).payload
        counted = {key: body[key] for key in _COUNTED_BY_ANTHROPIC if key in body}
        return CountRequest("messages/count_tokens", counted, "input_tokens")
    chat = openai.body(request, stream=False).payload
    return CountRequest("responses/input_tokens", _responses(chat), "input_tokens")


def _responses(body: Mapping[str, Any]) -> dict[str, Any]:
    """A Chat Completions body in the form of the Responses API, which alone can count."""
    out: dict[str, Any] = {"model": body["model"], "input": [item for m in body["messages"] for item in _items(m)]}
    if body.get("tools"):
        out["tools"] = [{"type": "function", **tool.get("function", tool)} for tool in body["tools"]]
    schema = body.get("response_format")
    if schema:
        out["text"] = {"format": {"type": schema["type"], **schema.get("json_schema", {})}}
    return out


def _items(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    if message.get("content") is not None:
        yield {"role": message["role"], "content": _content(message["content"], message["role"])}
    for call in message.get("tool_calls", ()):
        yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def _content(content: Any, role: str) -> Any:
    """Text as it is; of a list the parts that the Responses API has under another name."""
    if isinstance(content, str):
        return content
    kind = "output_text" if role == "assistant" else "input_text"
    return [_part(item, kind) for item in content]


def _part(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    if item.get("type") == "text":
        return {"type": kind, "text": item["text"]}
    if item.get("type") == "image_url":
        return {"type": "input_image", "image_url": item["image_url"]["url"]}
    return dict(item)
