"""Names: of providers, of vocabularies, and the many ways to write one model's name (prefixes, dates, tags)."""

from __future__ import annotations

import re
from collections.abc import Iterator

PROVIDERS = ("gemini", "anthropic", "openai")
"""The three protocols."""

TOKENIZERS = (
    "gemma2",
    "gemma3",
    "gemma4",
    "o200k_base",
    "cl100k_base",
    "llama2",
    "llama3",
    "mistral_v1",
    "mistral_v2",
    "mistral_v3",
    "qwen3",
    "deepseek_v3",
    "glm4",
    "kimi_k2",
    "kimi_k3",
    "phi4",
    "claude_3-4.6",
    "claude_4.7+",
)
"""The vocabularies that `prompt.tokens` counts by. Claude's two aren't public, so counts by them are estimates."""

_LONGEST = 200
"""Characters; a longer name is no model's."""

_REGION = re.compile(r"(?:[a-z-]{2,12}\.)?anthropic\.")
_TAIL = re.compile(
    r"-(?:latest|default|\d{3,4}|\d{8}|\d{4}-\d\d-\d\d|preview(?:-\d\d-\d{2,4})?|v\d)$",
)


def plain_name(model: str) -> str:
    """The model's own name in lower case: without `PROVIDER/`, a cloud's region, a fine-tune's or server's tag.

    `openrouter/anthropic/claude-sonnet-4.5:free` is `claude-sonnet-4-5`, `ft:gpt-4o-2024-08-06:org::id` is
    `gpt-4o-2024-08-06`, `ollama/llama3.1:8b` is `llama3.1`.
    """
    name = model[:_LONGEST].strip().lower().rsplit("/", 1)[-1].removeprefix("ft:")
    name = name.partition(":")[0].partition("@")[0]
    region = _REGION.match(name)
    if region is not None:
        name = name[region.end() :]
    return name.replace(".", "-") if name.startswith("claude") else name


def candidates(name: str) -> Iterator[str]:
    """The name, then the same without the date, version or `-latest` at its end, one after the other."""
    yield name
    while (tail := _TAIL.search(name)) is not None:
        name = name[: tail.start()]
        yield name
