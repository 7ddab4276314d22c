"""The three HTTP bodies: one whole conversation for each as a file, and single rules as examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, TextPart
from rolebook.prompt.messages import Message
from rolebook.prompt.request import Declaration, Hole, LlmRequest
from rolebook.record import replace
from rolebook.wire import Provider, Wire, body, encode, gemini

GOLDEN = Path(__file__).parents[1] / "data" / "wire"
MODELS: dict[Provider, str] = {
    "gemini": "gemini-3-flash-preview",
    "anthropic": "claude-sonnet-4-5",
    "openai": "gpt-4.1-mini",
}
PROVIDERS = tuple(MODELS)

CITY: JsonObject = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
REPORT: JsonObject = {
    "title": "Weather report",
    "type": "object",
    "properties": {"summary": {"type": "string", "maxLength": 80}, "warmest": {"type": "string"}},
    "required": ["summary"],
}
WEATHER = Declaration("get_weather", "The weather in a city, now.", CITY)
TRANSFER = Declaration("transfer_to_agent", "Hands the conversation over.", {})

CONVERSATION = (
    Message("model", (TextPart("Rome: 24 °C, clear"),)),
    Message("user", (TextPart("NYC or Paris, which is warmer?"),)),
    Message("user", (OtherPart({"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}),)),
    Message(
        "model",
        (
            TextPart("I look both up."),
            FunctionCall("c1", "get_weather", {"city": "NYC"}),
            FunctionCall("c2", "get_weather", {"city": "Paris"}),
        ),
    ),
    Message("user", (FunctionResponse("c2", "get_weather", "18 °C"),)),
    Message("user", (TextPart("And quickly, please."),)),
    Message("user", (FunctionResponse("c1", "get_weather", {"temp_f": 72, "sky": "sunny"}),)),
    Message("model", (FunctionCall("c3", "get_weather", {"city": "Rome"}),)),
)

REQUEST = LlmRequest(
    model=None,
    instruction="You are weather.\n\nAnswer Ann in °C.",
    static_system_instruction="You are weather.",
    dynamic_system_instruction="Answer Ann in °C.",
    messages=CONVERSATION,
    tools=(WEATHER, TRANSFER),
    generate_content_config={"temperature": 0.2, "max_output_tokens": 800, "stop_sequences": ["END"]},
    output_schema=REPORT,
)


def ask(provider: Provider, model: str | None = None, stream: bool = True, **changes: Any) -> Wire:
    plain = LlmRequest(model or MODELS[provider], "S\n\nD", "S", "D", (Message("user", (TextPart("hi"),)),))
    return body(replace(plain, **changes), provider, stream)


def configured(provider: Provider, model: str | None = None, **config: JsonValue) -> Wire:
    return ask(provider, model, generate_content_config=config)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_whole_body(provider: Provider) -> None:
    wire = body(replace(REQUEST, model=MODELS[provider]), provider)
    assert json.loads(encode(wire.payload)) == json.loads((GOLDEN / f"{provider}.json").read_text("utf-8"))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_equal_requests_have_equal_bytes(provider: Provider) -> None:
    request = replace(REQUEST, model=MODELS[provider])
    assert encode(body(request, provider).payload) == encode(body(request, provider).payload)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_a_model_everything_that_the_protocol_has_is_sent(provider: Provider) -> None:
    wire = body(replace(REQUEST, output_schema=CITY), provider)
    assert "model" not in wire.payload
    assert wire.warnings == ()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_holes_are_shown(provider: Provider) -> None:
    wire = ask(provider, tools=(WEATHER, Hole("app.tools(ctx)")), output_schema=Hole("app.Report"))
    text = encode(wire.payload).decode()
    assert '{"hole":"app.tools(ctx)"}' in text
    assert '{"hole":"app.Report"}' in text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_hole_in_a_message_is_shown(provider: Provider) -> None:
    wire = ask(provider, messages=(Message("user", (OtherPart({"hole": "summary"}), TextPart("hi"))),))
    assert '{"hole":"summary"}' in encode(wire.payload).decode()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_instruction_there_is_no_system_text(provider: Provider) -> None:
    wire = ask(provider, instruction="", static_system_instruction="", dynamic_system_instruction="")
    text = encode(wire.payload).decode()
    assert "system" not in text


@pytest.mark.parametrize(
    ("provider", "key", "stream"),
    [
        ("openai", "stream", True),
        ("openai", "stream", False),
        ("anthropic", "stream", True),
        ("gemini", "stream", False),
    ],
)
def test_streaming(provider: Provider, key: str, stream: bool) -> None:
    assert ask(provider, stream=stream).payload.get(key, False) is stream


SETTINGS: list[tuple[Provider, str, dict[str, JsonValue], dict[str, Any]]] = [
    ("openai", "gpt-4o", {"max_output_tokens": 9}, {"max_completion_tokens": 9}),
    ("openai", "ollama/llama3", {"max_output_tokens": 9}, {"max_tokens": 9}),
    ("openai", "gpt-4o", {"stop_sequences": ["x"], "candidate_count": 2}, {"stop": ["x"], "n": 2}),
    ("openai", "gpt-4o", {"seed": 0, "top_p": None}, {"seed": 0}),
    (
        "openai",
        "gpt-4o",
        {"presence_penalty": 1, "frequency_penalty": 0.5},
        {"presence_penalty": 1, "frequency_penalty": 0.5},
    ),
    ("openai", "gpt-4o", {"response_logprobs": True}, {"logprobs": True}),
    ("openai", "gpt-4o", {"logprobs": 3}, {"logprobs": True, "top_logprobs": 3}),
    ("openai", "vllm/qwen", {"top_k": 5}, {"top_k": 5}),
    ("openai", "gpt-5.1", {"temperature": 0}, {"temperature": 0}),
    ("openai", "gpt-4o", {"response_mime_type": "application/json"}, {"response_format": {"type": "json_object"}}),
    ("openai", "gpt-4o", {"response_mime_type": "text/plain"}, {}),
    ("anthropic", "claude-haiku-4-5", {}, {"max_tokens": 16_384}),
    ("anthropic", "claude-3-haiku-20240307", {}, {"max_tokens": 4_096}),
    ("anthropic", "claude-haiku-4-5", {"max_output_tokens": 9}, {"max_tokens": 9}),
    ("anthropic", "claude-haiku-4-5", {"stop_sequences": ["x"], "top_k": 4}, {"stop_sequences": ["x"], "top_k": 4}),
    (
        "gemini",
        "gemini-2.5-pro",
        {"top_k": 4, "max_output_tokens": 9},
        {"generationConfig": {"topK": 4, "maxOutputTokens": 9}},
    ),
    (
        "gemini",
        "gemini-2.5-pro",
        {"thinking_config": {"include_thoughts": True}},
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}},
    ),
    (
        "gemini",
        "gemini-2.5-pro",
        {"safety_settings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}], "labels": {"my_team": "a"}},
        {
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
            "labels": {"my_team": "a"},
        },
    ),
]


@pytest.mark.parametrize(("provider", "model", "config", "expected"), SETTINGS)
def test_settings(provider: Provider, model: str, config: dict[str, JsonValue], expected: dict[str, Any]) -> None:
    wire = configured(provider, model, **config)
    added = {key: value for key, value in wire.payload.items() if key not in configured(provider, model).payload}
    assert (added | {key: wire.payload[key] for key in expected}, wire.warnings) == (expected, ())


WARNINGS: list[tuple[Provider, str, dict[str, JsonValue], str]] = [
    ("openai", "gpt-4o", {"top_k": 5}, "Chat Completions has no setting `top_k`; it is left out"),
    ("openai", "gpt-4o", {"safety_settings": []}, "Chat Completions has no setting `safety_settings`; it is left out"),
    ("openai", "o3", {"temperature": 0}, "the model `o3` takes no `temperature`; it is left out"),
    ("openai", "gpt-5.6", {"top_p": 0.5}, "the model `gpt-5.6` takes no `top_p`; it is left out"),
    ("openai", "gpt-5.1", {"stop_sequences": ["x"]}, "the model `gpt-5.1` takes no `stop_sequences`; it is left out"),
    ("openai", "gpt-5-mini", {"logprobs": 2}, "the model `gpt-5-mini` takes no `logprobs`; it is left out"),
    (
        "openai",
        "gpt-4o",
        {"response_mime_type": "text/x.enum"},
        "Chat Completions has no `response_mime_type` text/x.enum; it is left out",
    ),
    ("anthropic", "claude-haiku-4-5", {"seed": 1}, "Anthropic has no setting `seed`; it is left out"),
    ("anthropic", "claude-opus-4-7", {"top_k": 1}, "the model `claude-opus-4-7` takes no `top_k`; it is left out"),
    ("anthropic", "claude-next", {"temperature": 1}, "the model `claude-next` takes no `temperature`; it is left out"),
    (
        "anthropic",
        "claude-haiku-4-5",
        {"temperature": 1.5},
        "Anthropic takes a `temperature` of at most 1 and will refuse 1.5",
    ),
    (
        "anthropic",
        "claude-haiku-4-5",
        {"temperature": 0.5, "top_p": 0.5},
        "Anthropic takes `temperature` or `top_p`; recent models refuse both together",
    ),
    (
        "anthropic",
        "claude-haiku-4-5",
        {"response_mime_type": "application/json"},
        "Anthropic has no `response_mime_type` without a schema; it is left out",
    ),
    ("gemini", "gemini-2.5-pro", {"top_q": 1}, "Gemini has no setting `top_q`; it is left out"),
    ("gemini", "gemini-2.5-pro", {"cached_content": "x"}, "`cached_content` is Rolebook's to set; it is left out"),
]


@pytest.mark.parametrize(("provider", "model", "config", "warning"), WARNINGS)
def test_what_a_provider_cant_honour(
    provider: Provider, model: str, config: dict[str, JsonValue], warning: str
) -> None:
    assert configured(provider, model, **config).warnings == (warning,)


SCHEMAS: list[tuple[str, JsonObject, JsonObject, tuple[str, ...]]] = [
    (
        "objects are closed at every depth, and a property may be called like a keyword",
        {"type": "object", "properties": {"maximum": {"type": "array", "items": {"type": "object", "properties": {}}}}},
        {
            "type": "object",
            "properties": {
                "maximum": {
                    "type": "array",
                    "items": {"type": "object", "properties": {}, "additionalProperties": False},
                }
            },
            "additionalProperties": False,
        },
        (),
    ),
    (
        "limits are left out, a value that looks like one is not",
        {"anyOf": [{"type": "number", "minimum": 0}, {"const": {"minimum": 0}}, {"type": "array", "minItems": 2}]},
        {"anyOf": [{"type": "number"}, {"const": {"minimum": 0}}, {"type": "array"}]},
        ("minimum", "minItems"),
    ),
    (
        "an open object can't be honoured",
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "additionalProperties": False},
        ("additionalProperties",),
    ),
]


@pytest.mark.parametrize(
    ("schema", "sent", "dropped"), [case[1:] for case in SCHEMAS], ids=[case[0] for case in SCHEMAS]
)
def test_anthropic_schema(schema: JsonObject, sent: JsonObject, dropped: tuple[str, ...]) -> None:
    wire = ask("anthropic", output_schema=schema)
    assert wire.payload["output_config"] == {"format": {"type": "json_schema", "schema": sent}}
    assert wire.warnings == tuple(f"Anthropic takes no `{key}` in an output schema; it is left out" for key in dropped)


@pytest.mark.parametrize(
    ("provider", "model", "tools", "warning"),
    [
        (
            "openai",
            "gpt-4-turbo",
            (),
            "the model `gpt-4-turbo` takes no schema; it stands in the instruction alone",
        ),
        (
            "anthropic",
            "claude-opus-4-1",
            (),
            "the model `claude-opus-4-1` takes no schema; it stands in the instruction alone",
        ),
        (
            "gemini",
            "gemini-2.5-flash",
            (WEATHER,),
            "the model `gemini-2.5-flash` takes no JSON output beside tools; only the instruction asks for it",
        ),
    ],
)
def test_models_that_take_no_schema(
    provider: Provider, model: str, tools: tuple[Declaration, ...], warning: str
) -> None:
    wire = ask(provider, model, tools=tools, output_schema=REPORT)
    assert "schema" not in encode(wire.payload).decode().replace("JsonSchema", "").replace("input_schema", "")
    assert wire.warnings == (warning,)


CHOICES: list[tuple[Provider, dict[str, JsonValue], dict[str, Any]]] = [
    ("openai", {"mode": "ANY"}, {"tool_choice": "required"}),
    ("openai", {"mode": "NONE"}, {"tool_choice": "none"}),
    (
        "openai",
        {"mode": "ANY", "allowed_function_names": ["get_weather"]},
        {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
    ),
    ("anthropic", {"mode": "ANY"}, {"tool_choice": {"type": "any"}}),
    (
        "anthropic",
        {"mode": "any", "allowed_function_names": ["get_weather"]},
        {"tool_choice": {"type": "tool", "name": "get_weather"}},
    ),
    (
        "gemini",
        {"mode": "ANY", "allowed_function_names": ["get_weather"]},
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_weather"]}}},
    ),
]


@pytest.mark.parametrize(("provider", "calling", "expected"), CHOICES)
def test_tool_choice(provider: Provider, calling: dict[str, JsonValue], expected: dict[str, Any]) -> None:
    config = {"tool_config": {"function_calling_config": calling}}
    wire = ask(provider, tools=(WEATHER,), generate_content_config=config)
    assert wire.payload | expected == wire.payload
    assert wire.warnings == ()
    assert expected.keys().isdisjoint(ask(provider, generate_content_config=config).payload)


def contents(provider: Provider, *messages: Message, model: str | None = None) -> Any:
    wire = ask(provider, model, messages=messages)
    return wire.payload["contents" if provider == "gemini" else "messages"]


PDF = OtherPart({"inlineData": {"mimeType": "application/pdf", "data": "_-8="}})
AUDIO = OtherPart({"inline_data": {"mime_type": "audio/wav", "data": "AA=="}})
LINK = OtherPart({"file_data": {"mime_type": "image/png", "file_uri": "https://example.org/a.png"}})
THOUGHT = OtherPart({"text": "hmm", "thought": True})

MEDIA: list[tuple[Provider, OtherPart, Any]] = [
    ("openai", LINK, {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
    ("anthropic", LINK, {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
    ("gemini", LINK, {"fileData": {"mimeType": "image/png", "fileUri": "https://example.org/a.png"}}),
    (
        "anthropic",
        PDF,
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "/+8="}},
    ),
    ("gemini", AUDIO, {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}}),
]


@pytest.mark.parametrize(("provider", "part", "sent"), MEDIA)
def test_media(provider: Provider, part: OtherPart, sent: Any) -> None:
    turns = contents(provider, Message("user", (part,)))
    assert turns[-1]["parts" if provider == "gemini" else "content"] == [sent]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_part_that_is_not_taken_is_reported_once_and_leaves_a_turn(provider: Provider) -> None:
    audio = Message("user", (AUDIO,))
    wire = ask(provider, messages=(audio, Message("model", (TextPart("a"),)), audio))
    service = "Chat Completions" if provider == "openai" else "Anthropic"
    assert wire.warnings == (f"{service} takes no part audio/wav here; it is left out",)
    assert "(omitted)" in encode(wire.payload).decode()


def test_thoughts_stay_with_their_provider() -> None:
    own = OtherPart({"type": "thinking", "thinking": "hmm", "signature": "s"})
    said = (Message("user", (TextPart("q"),)), Message("model", (own, THOUGHT, TextPart("a"))))
    assert contents("openai", *said)[2] == {"role": "assistant", "content": "a"}
    assert contents("anthropic", *said)[1]["content"] == [own.data, {"type": "text", "text": "a"}]
    assert contents("gemini", *said)[1]["parts"] == [THOUGHT.data, {"text": "a"}]
    assert all(ask(provider, messages=said).warnings == () for provider in PROVIDERS)


def test_gemini_3_gets_a_signature_with_the_first_call_of_a_turn() -> None:
    calls = (FunctionCall("1", "t", {}), FunctionCall("2", "t", {}))

    def signatures(model: str, *parts: Any) -> list[str | None]:
        turns = contents("gemini", Message("user", (TextPart("q"),)), Message("model", parts), model=model)
        assert all("functionCall" in part for part in turns[1]["parts"])
        return [part.get("thoughtSignature") for part in turns[1]["parts"]]

    assert signatures("gemini-3-pro", OtherPart({"thought_signature": "abc"}), *calls) == ["abc", None]
    assert signatures("gemini-3-pro", *calls) == ["skip_thought_signature_validator", None]
    assert signatures("gemini-2.5-pro", *calls) == [None, None]


def test_gemini_responses_are_objects() -> None:
    cases: list[tuple[JsonValue, JsonValue]] = [({"a": 1}, {"a": 1}), ([1], {"result": [1]}), (None, {"result": None})]
    for response, sent in cases:
        call, got = FunctionCall("1", "t", {}), FunctionResponse("1", "t", response)
        turns = contents(
            "gemini", Message("user", (TextPart("q"),)), Message("model", (call,)), Message("user", (got,))
        )
        assert turns[-1]["parts"] == [{"functionResponse": {"id": "1", "name": "t", "response": sent}}]


def test_gemini_with_a_cache_entry() -> None:
    request = replace(REQUEST, model="gemini-3-flash-preview")
    entry, uncached = gemini.cache_entry(request), body(request, "gemini").payload
    cached = gemini.cached_body(request, "cachedContents/1").payload
    assert entry == {
        "model": "models/gemini-3-flash-preview",
        "systemInstruction": {"parts": [{"text": "You are weather."}]},
        "tools": uncached["tools"],
    }
    assert cached["cachedContent"] == "cachedContents/1"
    assert cached.keys().isdisjoint({"systemInstruction", "tools", "toolConfig"})
    assert cached["contents"][0]["parts"] == [{"text": "Answer Ann in °C."}, *uncached["contents"][0]["parts"]]
    assert cached["contents"][1:] == uncached["contents"][1:]


@pytest.mark.parametrize(
    ("model", "stream", "path"),
    [
        ("gemini-2.5-pro", True, "models/gemini-2.5-pro:streamGenerateContent?alt=sse"),
        ("google/gemini-2.5-pro", False, "models/gemini-2.5-pro:generateContent"),
        ("google/../keys?x=1", False, "models/..%2Fkeys%3Fx%3D1:generateContent"),
    ],
)
def test_gemini_path(model: str, stream: bool, path: str) -> None:
    assert gemini.path(model, stream) == path


@pytest.mark.parametrize(
    ("text", "sent"),
    [("é\n", '"é\\n"'), ("a\ud800b", '"a\ufffdb"'), ("\ud83d\ude00", '"😀"')],
)
def test_encode(text: str, sent: str) -> None:
    assert encode(text).decode() == sent


@given(st.text(st.characters(), max_size=5))
def test_encode_never_raises(text: str) -> None:
    assert json.loads(encode({"text": text}))["text"] == text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "replace"
    )
