"""What the three providers are asked when they shall count, by a server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from server import serving, status

from rolebook.prompt.events import FunctionCall, FunctionResponse, TextPart
from rolebook.prompt.messages import Message
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.record import replace
from rolebook_runner.errors import RunError
from rolebook_runner.models.counting import ask

KEY = "sk-very-secret-0123456789"
PARAMETERS = {"type": "object", "properties": {}}
REQUEST = LlmRequest(
    model="gpt-4o",
    instruction="Be kind.\n\nHelp.",
    static_system_instruction="Be kind.",
    dynamic_system_instruction="Help.",
    messages=(
        Message("user", (TextPart("Where?"),)),
        Message("model", (FunctionCall("c", "look", {"n": 1}),)),
        Message("user", (FunctionResponse("c", "look", "at sea"),)),
    ),
    tools=(Declaration("look", "Looks.", PARAMETERS),),
    generate_content_config={"temperature": 0.5, "max_output_tokens": 9},
    output_schema={"type": "object", "title": "Answer"},
)


def reply(body: Any, code: int = 200) -> bytes:
    return status(code, json.dumps(body).encode(), ("content-type: application/json",))


async def asked(model: str, prefix: str, answer: bytes) -> tuple[int, str, dict[str, str], Any]:
    async with serving(answer) as server:
        variables = {f"{prefix}_BASE_URL": server.url, f"{prefix}_API_KEY": KEY}
        number = await ask(replace(REQUEST, model=model), variables)
        (request,) = server.requests
        return number, request.target, request.headers, json.loads(request.body)


async def test_openai_is_asked_in_the_form_of_its_responses_api() -> None:
    number, target, headers, body = await asked("gpt-4o", "OPENAI", reply({"input_tokens": 42}))
    assert (number, target, headers["authorization"]) == (42, "/v1/responses/input_tokens", f"Bearer {KEY}")
    assert body["input"] == [
        {"role": "system", "content": "Be kind.\n\nHelp."},
        {"role": "user", "content": "Where?"},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": '{"n":1}'},
        {"type": "function_call_output", "call_id": "c", "output": "at sea"},
    ]
    assert body["tools"] == [{"type": "function", "name": "look", "description": "Looks.", "parameters": PARAMETERS}]
    assert body["text"]["format"]["type"] == "json_schema" and "messages" not in body and "temperature" not in body


async def test_anthropic_is_asked_without_what_only_generating_needs() -> None:
    number, target, headers, body = await asked("claude-sonnet-4-5", "ANTHROPIC", reply({"input_tokens": 43}))
    assert (number, target, headers["x-api-key"]) == (43, "/v1/messages/count_tokens", KEY)
    assert set(body) <= {"model", "system", "messages", "tools", "tool_choice", "thinking", "output_config"}
    assert [block["text"] for block in body["system"]] == ["Be kind.", "Help."] and body["tools"][0]["name"] == "look"


async def test_gemini_is_asked_with_the_whole_request() -> None:
    number, target, headers, body = await asked("gemini-2.5-flash", "GEMINI", reply({"totalTokens": 44}))
    assert (number, headers["x-goog-api-key"]) == (44, KEY)
    assert target.endswith("/models/gemini-2.5-flash:countTokens")
    whole = body["generateContentRequest"]
    assert whole["model"] == "models/gemini-2.5-flash" and whole["contents"] and whole["tools"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (reply({"error": {"message": f"bad key {KEY}"}}, 401), "bad key …"),
        (reply({"nothing": 1}), "holds no count"),
        (reply([1, 2]), "holds no count"),
        (status(200, b"<html>"), "holds no count"),
    ],
)
async def test_a_refusal_is_a_sentence_without_the_key(answer: bytes, told: str) -> None:
    with pytest.raises(RunError) as raised:
        await asked("gpt-4o", "OPENAI", answer)
    assert told in str(raised.value) and KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (REQUEST, "OPENAI_API_KEY isn't set"),
        (replace(REQUEST, model="claude-opus-5"), "ANTHROPIC_API_KEY isn't set"),
        (replace(REQUEST, model="ollama/llama3"), "no endpoint that counts"),
        (replace(REQUEST, model=None), "no provider is known"),
        (replace(REQUEST, tools=(Hole("m.f(context)"),)), "`m.f(context)`: known at run only"),
    ],
)
async def test_who_cannot_be_asked_is_told_why(request_: LlmRequest, told: str) -> None:
    with pytest.raises(RunError, match=r".") as raised:
        await ask(request_, {})
    assert told in str(raised.value)
