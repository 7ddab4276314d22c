"""Which protocol a model speaks, and under which name its provider knows it."""

from __future__ import annotations

import pytest

from rolebook.wire import provider_of, wire_name
from rolebook.wire.providers import is_openai_model


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [
        ("gemini-2.5-flash", "gemini", "gemini-2.5-flash"),
        ("gemma-3-27b-it", "gemini", "gemma-3-27b-it"),
        ("google/gemini-3-pro", "gemini", "gemini-3-pro"),
        ("vertex/gemini-2.5-pro", "gemini", "gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "gemini", "gemini-2.5-pro"),
        ("projects/p/locations/l/publishers/google/models/gemini-2.5-pro", "gemini", "gemini-2.5-pro"),
        ("claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("anthropic/claude-opus-4-6", "anthropic", "claude-opus-4-6"),
        ("gpt-4o", "openai", "gpt-4o"),
        ("o3", "openai", "o3"),
        ("o4-mini", "openai", "o4-mini"),
        ("chatgpt-4o-latest", "openai", "chatgpt-4o-latest"),
        ("ft:gpt-4o-mini:acme::abc", "openai", "ft:gpt-4o-mini:acme::abc"),
        ("ollama/llama3.2:3b", "openai", "llama3.2:3b"),
        ("Ollama/llama3", "openai", "llama3"),
        ("openrouter/meta/llama", "openai", "meta/llama"),
        ("openrouter/anthropic/claude-opus-4.6", "openai", "anthropic/claude-opus-4.6"),
        ("local/qwen.gguf", "openai", "qwen.gguf"),
        ("my-own-model", None, "my-own-model"),
        ("opus", None, "opus"),
    ],
)
def test_model_names(model: str, provider: str | None, name: str) -> None:
    assert (provider_of(model), wire_name(model)) == (provider, name)


def test_no_model_has_no_provider() -> None:
    assert provider_of(None) is None
    assert provider_of("") is None


@pytest.mark.parametrize(
    ("model", "own"),
    [
        ("gpt-5", True),
        ("openai/o3", True),
        ("azure/gpt-4o", True),
        ("ollama/gpt-oss:20b", False),
        ("gpt-oss-20b", False),
    ],
)
def test_models_that_openai_serves(model: str, own: bool) -> None:
    assert is_openai_model(model) is own
