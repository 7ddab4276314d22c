"""What is cached of a request and why not: a line for each part, as the report has it."""

from __future__ import annotations

import json

import pytest
from build import tree

from rolebook import wire
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import event_from_json
from rolebook.prompt.request import Declaration, LlmRequest
from rolebook.record import replace
from rolebook.wire import gemini
from rolebook.wire.caching import cache_minimum, cache_report

RULES = "Rule. " * 1_000
LOOK_UP = Declaration("look_up", "Looks up.", {"type": "object", "properties": {}})
PLAIN = f"name: a\nstatic_instruction: '{RULES}'\ninstruction: Help.\ntools: [{{name: t.look_up}}]"
PERSONAL = PLAIN.replace("Help.", "Help {user}.")
VOLATILE = PLAIN.replace("static_instruction: '", "global_instruction: 'Today is {day}. ")
PROVIDED = PLAIN.replace("static_instruction", "global_instruction: {function: my.rules}\nx_static")
LISTED = PLAIN.replace("[{name: t.look_up}]", "{function: my.tools}")
SHORT = "name: a\ninstruction: Help."

# Definition, model, and the report's lines: the part, `+` where it is cached, why.
REPORTS: list[tuple[str, str, list[str]]] = [
    (
        PLAIN,
        "claude-opus-4-8",
        [
            "tools + marked with cache_control at the last tool",
            "static + marked with cache_control at the first system block",
            "dynamic - it is made for each request, so it stands behind the last mark",
            "conversation - no mark is set in it",
        ],
    ),
    (
        PLAIN,
        "claude-next",
        [
            "tools + marked with cache_control at the last tool; from how many tokens on isn't known for this model",
            "static + marked with cache_control at the first system block; from how many tokens on isn't known for this"
            " model",
            "dynamic - it is made for each request, so it stands behind the last mark",
            "conversation - no mark is set in it",
        ],
    ),
    (
        PLAIN,
        "gpt-5.1",
        [
            "tools + cached by the provider itself",
            "static + cached by the provider itself",
            "dynamic + cached by the provider itself",
            "conversation + cached by the provider itself, up to the last turn",
        ],
    ),
    (
        PERSONAL,
        "ollama/qwen3",
        [
            "tools + cached where the server has a prefix cache",
            "static + cached where the server has a prefix cache",
            "dynamic - it changes with the state key `user`",
            "conversation - the dynamic half stands before it, and it can't be cached",
        ],
    ),
    (
        PLAIN,
        "gemini-3.5-flash",
        [
            "tools + kept in a cachedContents entry",
            "static + kept in a cachedContents entry",
            "dynamic - it is made for each request, so it is sent beside the entry",
            "conversation - an entry holds only what doesn't change; what Gemini caches by itself comes on top",
        ],
    ),
    (
        VOLATILE,
        "gemini-3.5-flash",
        [
            "tools - one entry holds tools and static half, and the static half can't be cached",
            "static - it changes with the state key `day`",
            "dynamic - it is made for each request, so it is sent beside the entry",
            "conversation - an entry holds only what doesn't change; what Gemini caches by itself comes on top",
        ],
    ),
    (
        VOLATILE,
        "gpt-5.1",
        [
            "tools - all that could be cached is 91 tokens, and `gpt-5.1` caches from 1,024 on",
            "static - it changes with the state key `day`",
            "dynamic - the static half stands before it, and it can't be cached",
            "conversation - the static half stands before it, and it can't be cached",
        ],
    ),
    (
        PROVIDED,
        "claude-opus-4-8",
        [
            "tools - all that could be cached is 91 tokens, and `claude-opus-4-8` caches from 1,024 on",
            "static - it holds what only a run knows, ⟨my.rules(context): known at run⟩",
            "dynamic - it is made for each request, so it stands behind the last mark",
            "conversation - no mark is set in it",
        ],
    ),
    (
        LISTED,
        "claude-opus-4-8",
        [
            "tools - `my.tools(context)` is known at run only",
            "static - the tools stand before it, and they can't be cached",
            "dynamic - it is made for each request, so it stands behind the last mark",
            "conversation - no mark is set in it",
        ],
    ),
    (
        SHORT,
        "gemini-flash-latest",
        [
            "tools - there are none",
            "static - all that could be cached is 10 tokens, and `gemini-flash-latest` caches from 4,096 on",
            "dynamic - it is made for each request, so it is sent beside the entry",
            "conversation - an entry holds only what doesn't change; what Gemini caches by itself comes on top",
        ],
    ),
]


def compiled(definition: str, model: str) -> Compilation:
    built = tree(definition)
    context = Context(state={"user": "Ann", "day": "Monday"}, declarations={"t.look_up": LOOK_UP})
    events = [event_from_json({"id": 1, "author": "user", "text": "Hi"})]
    return compile_request(built, built.root, context, events, model=model)


@pytest.mark.parametrize(("definition", "model", "lines"), REPORTS)
def test_a_report(definition: str, model: str, lines: list[str]) -> None:
    """Tokens are counted as characters here, so that they can be checked by eye."""
    provider = wire.provider_of(model)
    assert provider is not None
    report = cache_report(compiled(definition, model), provider, len)
    assert [f"{part.part} {'+' if part.cached else '-'} {part.why}" for part in report.parts] == lines


def test_tokens_are_those_of_the_parts() -> None:
    compilation = compiled(PLAIN, "claude-opus-4-8")
    report = cache_report(compilation, "anthropic", len)
    tools, static, dynamic, conversation = (part.tokens for part in report.parts)
    assert static == len(compilation.request.static_system_instruction)
    assert (dynamic, conversation) == (len("Help."), len("Hi"))
    assert report.cached_tokens == tools + static
    assert report.minimum == 1_024


MINIMUMS: list[tuple[wire.Provider, str | None, int | None]] = [
    ("anthropic", "anthropic/claude-haiku-4-5-20251001", 4_096),
    ("gemini", "gemini-2.5-flash", 2_048),
    ("openai", "gpt-4.1-mini", 1_024),
    ("openai", "openai/gpt-4.1-mini", 1_024),
    ("openai", "vllm/gpt-4.1-mini", None),
    ("openai", "ollama/llama3", None),
    ("anthropic", "claude-opus-99", None),
    ("anthropic", None, None),
]


@pytest.mark.parametrize(("provider", "model", "tokens"), MINIMUMS)
def test_minimums(provider: wire.Provider, model: str | None, tokens: int | None) -> None:
    assert cache_minimum(provider, model) == tokens


def test_an_entry_is_named_by_what_it_holds() -> None:
    def fingerprint(request: LlmRequest) -> str:
        return gemini.cache_fingerprint(request)

    request = compiled(PLAIN, "gemini-3.5-flash").request
    same = replace(request, messages=(), dynamic_system_instruction="Other.", generate_content_config={"seed": 1})
    assert fingerprint(request) == fingerprint(same)
    for other in (
        replace(request, static_system_instruction="Other."),
        replace(request, tools=()),
        replace(request, model="gemini-2.5-pro"),
        replace(request, generate_content_config={"tool_config": {"function_calling_config": {"mode": "ANY"}}}),
    ):
        assert fingerprint(other) != fingerprint(request)
    made = gemini.cache_creation(request, 3_600)
    assert made["ttl"] == "3600s" and fingerprint(request).startswith(made["displayName"].removeprefix("rolebook-"))
    assert json.loads(wire.encode(made))["model"] == "models/gemini-3.5-flash"
