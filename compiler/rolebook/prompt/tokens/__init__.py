"""How many tokens a text is for a model: a count, the tokenizer that it is meant for, and whether it is exact."""

from __future__ import annotations

import re
from typing import Literal

from rolebook.prompt.tokens.estimate import estimate
from rolebook.record import Record

Tokenizer = Literal[
    "gemma3", "o200k_base", "cl100k_base", "llama3", "mistral_v3", "qwen3", "deepseek_v3", "claude_3-4.6", "claude_4.7+"
]


class Count(Record):
    """`error` is the relative error of an estimate (0.12 is ± 12 %), 0 where the count is exact."""

    tokens: int
    tokenizer: Tokenizer
    exact: bool
    error: float

    def __str__(self) -> str:
        if self.exact:
            return f"{self.tokens:,} tokens"
        return f"≈ {self.tokens:,} tokens (estimate ± {self.error:.0%}, {self.tokenizer})"


_ERROR = 0.12
"""The mean error of the estimate on a genre that it wasn't fitted to; see `estimate`."""


def count(text: str, model: str | None) -> Count:
    """The tokens of `text` for `model`. For now always an estimate, labelled as one."""
    tokenizer = tokenizer_of(model)
    return Count(estimate(text, tokenizer), tokenizer, exact=False, error=_ERROR)


def tokenizer_of(model: str | None) -> Tokenizer:
    """The tokenizer of a model by its name; Gemma's, which Gemini uses, where the name says nothing."""
    name = (model or "").rsplit("/", 1)[-1].lower()
    return next((tokenizer for pattern, tokenizer in _BY_NAME if re.match(pattern, name)), "gemma3")


_BY_NAME: tuple[tuple[str, Tokenizer], ...] = (
    (r"gemini|gemma", "gemma3"),
    (r"gpt-4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|chatgpt|o\d", "o200k_base"),
    (r"gpt", "cl100k_base"),
    (r"claude-(?:\w+-4-[7-9]|\w+-[5-9]|mythos)", "claude_4.7+"),
    (r"claude", "claude_3-4.6"),
    (r"llama", "llama3"),
    (r"mistral|mixtral|pixtral|ministral|codestral", "mistral_v3"),
    (r"qwen|qwq", "qwen3"),
    (r"deepseek", "deepseek_v3"),
)
