"""What is known of models: how names are found, and that the data file keeps to its own rules."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.definition.settings import GENERATE_CONTENT_CONFIG
from rolebook.models import Facts, facts, known_models, sources
from rolebook.models.names import PROVIDERS, TOKENIZERS, candidates, plain_name
from rolebook.project.config import Model
from rolebook.record import fields

DATA: dict[str, Any] = json.loads(files("rolebook.models").joinpath("facts.json").read_text("utf-8"))
ENTRIES = [*DATA["families"].items(), *DATA["models"].items()]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("gemini-2.5-flash", "gemini-2.5-flash"),
        ("models/gemini-2.5-flash", "gemini-2.5-flash"),
        ("gemini-2.5-flash-001", "gemini-2.5-flash"),
        ("gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
        ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
        ("Claude-Sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("vertex_ai/claude-opus-4-6@default", "claude-opus-4-6"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4.5:free", "claude-sonnet-4-5"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("ft:gpt-4o-mini-2024-07-18:acme::abc", "gpt-4o-mini"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-4-1106-preview", "gpt-4-1106-preview"),
        ("gpt-5-chat-latest", "gpt-5-chat"),
    ],
)
def test_one_model_by_its_many_names(written: str, name: str) -> None:
    assert facts(written).known and facts(written).name == name


@pytest.mark.parametrize(
    ("model", "known", "tokenizer", "exact"),
    [
        ("gemini-2.5-flash-image", False, "gemma3", True),
        ("gemini-9-flash", False, "gemma4", False),
        ("gpt-4o-audio-preview", False, "o200k_base", True),
        ("gpt-4-32k", False, "cl100k_base", True),
        ("gpt-9", False, "o200k_base", False),
        ("gpt-oss:20b", False, "o200k_base", True),
        ("claude-opus-9", False, "claude_4.7+", False),
        ("claude-opus-4-5", True, "claude_3-4.6", False),
        ("ollama/llama3.2:3b", False, "llama3", True),
        ("mistral-small-2603", True, "mistral_v3", False),
        ("mistral-nemo", False, "mistral_v3", True),
        ("qwen2.5-coder", False, "qwen3", True),
        ("qwen3.8-max", False, "qwen3", False),
        ("deepseek-r1", False, "deepseek_v3", True),
        ("o1", True, "o200k_base", True),
        ("o1x", False, None, False),
        ("local/smol.gguf", False, None, False),
    ],
)
def test_a_family_says_what_its_members_share(model: str, known: bool, tokenizer: str | None, exact: bool) -> None:
    found = facts(model)
    assert (found.known, found.tokenizer, found.exact) == (known, tokenizer, exact)
    if not known and found.context_window is None:
        assert found.prompt_limit is None and found.shutdown is None


def test_settings_that_a_model_does_not_take() -> None:
    assert {"temperature", "top_p", "stop_sequences"} <= set(facts("gpt-5-mini").refused)
    assert "temperature" not in facts("gpt-5-chat-latest").refused
    assert "temperature" in facts("gpt-5.1").refused_thinking
    assert facts("claude-sonnet-4-5").exclusive == (("temperature", "top_p"),)
    assert {"temperature", "seed"} <= set(facts("claude-opus-5").refused)
    assert facts("gemini-3.8-flash").ignored == ("temperature", "top_p", "top_k")
    assert facts("gemini-2.5-flash").refused == ()


def test_a_workspace_knows_better() -> None:
    said = {"ollama/llama3.2": Model(context_window=8192), "gpt-5": Model(context_window=1000, tokenizer="qwen3")}
    local = facts("ollama/llama3.2", said)
    assert (local.known, local.prompt_limit, local.tokenizer) == (True, 8192, "llama3")
    # by the name without the prefix, and over a limit of the prompt's own
    hosted = facts("azure/gpt-5", said)
    assert (hosted.prompt_limit, hosted.tokenizer, hosted.exact) == (1000, "qwen3", True)
    assert facts("gpt-4o", said) == facts("gpt-4o")
    served = facts("mine/x", {"mine/x": Model(base_url="http://127.0.0.1:1/v1", provider="openai")})
    assert (served.known, served.provider, served.base_url) == (True, "openai", "http://127.0.0.1:1/v1")


def test_nothing_is_said_of_an_unknown_model() -> None:
    assert facts(None) == facts("") == Facts("")
    assert facts("nobody/knows") == Facts("knows")


@given(st.text(max_size=60))
def test_any_text_is_a_name(model: str) -> None:
    assert facts(model).name in (plain_name(model), *DATA["models"])


def test_long_names_cost_nothing() -> None:
    assert len(facts("x" * 1_000_000).name) < 1000
    assert len(list(candidates("gemini" + "-001" * 100))) <= 101


@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_the_data_file_keeps_to_its_rules(name: str, entry: dict[str, Any]) -> None:
    settings = {key.name for key in GENERATE_CONTENT_CONFIG.keys}
    assert set(entry) <= set(fields(Facts)) - {"name", "known", "base_url"}
    assert entry.get("provider") in (None, *PROVIDERS)
    assert entry.get("tokenizer") in (None, *TOKENIZERS)
    assert "exact" in entry or not entry.get("tokenizer") or name in DATA["families"]
    for key in ("refused", "refused_thinking", "ignored"):
        assert set(entry.get(key, ())) <= settings
    assert {setting for group in entry.get("exclusive", ()) for setting in group} <= settings
    for key in ("context_window", "max_input_tokens", "max_output_tokens", "cache_minimum"):
        assert entry.get(key, 1) > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry.get("shutdown", "2026-01-01"))
    successor = entry.get("successor")
    assert successor is None or (facts(successor).known and "shutdown" in entry)


def test_the_data_is_dated_and_says_where_it_is_from() -> None:
    date, found = sources()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", date) and found
    assert known_models()["gpt-4o"] == facts("gpt-4o")
