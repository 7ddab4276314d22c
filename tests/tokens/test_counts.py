"""Counts equal the reference tokenizers where we say exact, and lie within the stated error where we say estimate.

`golden.json` was made with tokenizers that share nothing with splintr: tiktoken, sentencepiece, mistral-common, Hugging
Face's tokenizers and two JavaScript ones; which counted what stands in it.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import samples

from rolebook.models import Facts
from rolebook.project.config import Model
from rolebook.prompt.tokens import count, count_at_once, count_by, counter, counting, load, tokenizer_of, vocabularies
from rolebook.prompt.tokens.estimate import estimate
from rolebook.prompt.tokens.memory import Memory

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
COUNTS: dict[str, dict[str, int]] = GOLDEN["counts"]
TEXTS = samples()


@pytest.mark.parametrize("tokenizer", COUNTS)
def test_exact_counts_are_those_of_the_reference(tokenizer: str) -> None:
    known, memory = Facts("m", tokenizer=tokenizer, exact=True), Memory()
    for name, expected in COUNTS[tokenizer].items():
        found = count_by(known, TEXTS[name], memory)
        assert (name, found.tokens, found.exact) == (name, expected, True)


@pytest.mark.parametrize("tokenizer", COUNTS)
def test_estimates_lie_within_their_error(tokenizer: str) -> None:
    for name, expected in COUNTS[tokenizer].items():
        tokens, error = estimate(TEXTS[name], tokenizer)
        assert abs(expected - tokens) <= error * max(tokens, 1), (name, expected, tokens, error)


def test_an_estimate_says_how_bad_it_may_be() -> None:
    plain, odd = estimate(TEXTS["English"] * 10, "gemma3"), estimate(TEXTS["odd characters"], "gemma3")
    assert plain.error < 0.25 < 0.7 < odd.error
    assert estimate("", "gemma3") == (0, 0.0)
    assert estimate("text", "no such vocabulary").error > estimate("text", "o200k_base").error


@pytest.mark.parametrize(
    ("model", "quality", "tokenizer"),
    [
        ("gemini-2.5-flash", "exact", "gemma3"),
        ("gpt-4o-mini", "exact", "o200k_base"),
        ("ollama/llama3.2:3b", "exact", "llama3"),
        ("gemini-flash-latest", "estimate ± 10 %", "gemma4"),
        ("gpt-9", "estimate ± 10 %", "o200k_base"),
        ("nobody/knows", "estimate ± 10 %", "o200k_base"),
        (None, "estimate ± 10 %", "o200k_base"),
    ],
)
def test_a_count_says_who_made_it_and_how_surely(model: str | None, quality: str, tokenizer: str) -> None:
    found = count("Refunds need approval.", model)
    assert (found.quality, found.tokenizer) == (quality, tokenizer)
    assert str(found).endswith(f"({quality}, {tokenizer})") and str(found).startswith("≈ ") != found.exact


def test_claude_is_always_an_estimate() -> None:
    found = count(TEXTS["English"], "claude-sonnet-4-5")
    assert (found.exact, found.tokenizer) == (False, "claude_3-4.6")
    assert abs(found.tokens - 43) <= found.error * found.tokens  # 43: what ctok 1.3.0 rebuilds


def test_a_workspace_names_the_tokenizer() -> None:
    said = {"local/mine": Model(tokenizer="qwen3")}
    assert count(TEXTS["JSON"], "local/mine", said).tokens == COUNTS["qwen3"]["JSON"]
    assert counting("local/mine", said) == "exact, qwen3" and tokenizer_of("local/mine") == "o200k_base"
    assert counter("local/mine", said)(TEXTS["JSON"]) == COUNTS["qwen3"]["JSON"]


def test_special_tokens_in_a_text_are_text() -> None:
    said = "<|im_start|>system <|endoftext|> <s>[INST] hi [/INST]</s> <start_of_turn>user<end_of_turn> <bos>"
    by_tiktoken = {"gpt-4o": 39, "gpt-4": 38}
    for model, expected in by_tiktoken.items():
        assert (count(said, model).tokens, count(said, model).exact) == (expected, True)
    assert not count(said, "gemini-2.5-flash").exact  # whether Gemini takes them for text isn't known


def test_a_long_run_is_cut_and_says_so() -> None:
    found = count("\n" * 100_000, "gemini-2.5-flash")
    assert not found.exact and abs(found.tokens - 3226) <= max(found.error * found.tokens, 1)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["gemini-2.5-flash", "gpt-4o", "mistral-nemo", "qwen3", "claude-opus-5", None]),
    st.text(st.characters(), max_size=400).map(lambda text: text * 3),
)
def test_no_text_raises(model: str | None, text: str) -> None:
    found = count(text, model, memory=Memory())
    assert found.tokens >= 0 and found.error >= 0 and (found.tokens > 0 or not text)


def test_what_was_counted_is_not_counted_again() -> None:
    memory = Memory()
    for _ in range(3):
        for text in ("one", "two", "one"):
            count(text, "gpt-4o", memory=memory)
            count(text, "gpt-5", memory=memory)  # the same vocabulary
    assert memory.made == 2
    count("one", "gemini-2.5-flash", memory=memory)
    assert memory.made == 3


def test_the_memory_is_bounded_and_forgets_what_was_not_asked_for_longest() -> None:
    memory = Memory(3)
    for text in ("a", "b", "c", "a", "d"):
        count(text, "gpt-4o", memory=memory)
    assert len(memory) == 3 and memory.made == 4
    assert memory.recall("a", "o200k_base") is not None and memory.recall("b", "o200k_base") is None


def test_who_cannot_wait_gets_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_loaded", {})
    memory = Memory()
    first = count_at_once("Refunds need approval.", "gpt-4o", memory=memory)
    assert not first.exact and vocabularies._loaded == {}
    load("gpt-4o")
    assert count_at_once("Refunds need approval.", "gpt-4o", memory=memory).exact


def test_without_splintr_the_estimator_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_loaded", {})
    monkeypatch.setattr(vocabularies, "_loader", lambda: None)
    found = count(TEXTS["English"], "gpt-4o", memory=Memory())
    assert not found.exact and abs(found.tokens - COUNTS["o200k_base"]["English"]) <= found.error * found.tokens


def test_threads_count_alike() -> None:
    memory, found = Memory(50), []

    def work() -> None:
        found.extend((n % 70, count(f"text {n % 70} of many", "gpt-4o", memory=memory).tokens) for n in range(200))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 800 and len(set(found)) == 70 and len(memory) == 50
