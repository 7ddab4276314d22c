"""What is known of models: how much they take, how they count tokens, which settings they don't take.

`facts.json` holds it all, with its date and sources: what a family has in common (`families`, by the beginning of the
name; a longer one adds to a shorter one and wins) and what one model has (`models`). A workspace overrides it with
`[models.NAME]`. What isn't known is None or empty, never a guess. The file is read once something asks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, Protocol

from rolebook.models.names import candidates, plain_name
from rolebook.record import Record, replace

__all__ = ["Facts", "Override", "facts", "known_models", "override_of", "sources"]

Thinks = Literal["always", "by default", "on request", "never"]


class Facts(Record):
    """What is known of one model. Sizes are in tokens, settings go by their names in `generate_content_config`.

    `provider` is who makes the model and defines its API: `gemini`, `anthropic`, `openai`, or None. A prefix
    (`openrouter/…`) may send the same model elsewhere, so hold `refused` against it only where that API is spoken.
    `known` says that the very model is listed, not only its family.
    """

    name: str
    """The model's own name, without the provider's prefix, a date or a version."""
    known: bool = False
    provider: str | None = None
    base_url: str | None = None
    """Where a workspace says that the model is served."""
    context_window: int | None = None
    """Tokens of prompt and answer together, where the provider gives one number for both."""
    max_input_tokens: int | None = None
    """Tokens of the prompt, where the provider limits them apart."""
    max_output_tokens: int | None = None
    tokenizer: str | None = None
    """The vocabulary, under a name that `prompt.tokens` knows."""
    exact: bool = False
    """Whether that vocabulary surely is the model's own, so that a count by it is exact."""
    refused: tuple[str, ...] = ()
    """Settings that make the provider refuse the request, or that its API doesn't have."""
    refused_thinking: tuple[str, ...] = ()
    """Settings that are refused as well while the model thinks; see `thinks`."""
    ignored: tuple[str, ...] = ()
    """Settings that are taken and change nothing."""
    exclusive: tuple[tuple[str, ...], ...] = ()
    """Groups of settings of which a request may hold one."""
    thinks: Thinks | None = None
    schema: bool | None = None
    """Whether the provider can hold an answer to a JSON Schema."""
    schema_with_tools: bool | None = None
    """Whether it can do so while the model has tools."""
    cache_minimum: int | None = None
    """From how many tokens on the beginning of a prompt is cached."""
    tool_prompt: int | None = None
    """Tokens of the prompt that the provider adds by itself where a request has tools."""
    shutdown: str | None = None
    """The day from which on the provider's own API no longer answers for the model, as `2026-12-01`."""
    successor: str | None = None
    """The model that the provider names instead."""

    @property
    def prompt_limit(self) -> int | None:
        """The most tokens that a prompt may have."""
        return self.max_input_tokens or self.context_window


class Override(Protocol):
    """What a workspace says of a model (`project.config.Model`); None where it says nothing."""

    @property
    def context_window(self) -> int | None: ...
    @property
    def tokenizer(self) -> str | None: ...
    @property
    def base_url(self) -> str | None: ...
    @property
    def provider(self) -> str | None: ...


def facts(model: str | None, overrides: Mapping[str, Override] | None = None) -> Facts:
    """What is known of `model`, written as in a definition. Never raises; an unknown model has facts that say nothing.

    `overrides` (`Config.models`) go by the model as written or by its name without the prefix, and win. A tokenizer
    that a workspace names counts as exact, and its context window as the limit of the prompt.
    """
    found = _facts(model or "")
    override = override_of(model, overrides)
    if override is None:
        return found
    changes: dict[str, Any] = {"known": True}
    if override.context_window is not None:
        changes |= {"context_window": override.context_window, "max_input_tokens": None}
    if override.tokenizer is not None:
        changes |= {"tokenizer": override.tokenizer, "exact": True}
    if override.provider is not None:
        changes["provider"] = override.provider
    if override.base_url is not None:
        changes["base_url"] = override.base_url
    return replace(found, **changes)


def override_of(model: str | None, overrides: Mapping[str, Override] | None) -> Override | None:
    """What a workspace says of `model`, which goes by the name as written, or by the one without its prefix."""
    if not overrides or not model:
        return None
    return overrides.get(model) or overrides.get(_facts(model).name) or overrides.get(model.partition("/")[2])


def known_models() -> Mapping[str, Facts]:
    """Every listed model by its name, for completion and for the nearest name to a misspelt one."""
    return {name: _facts(name) for name in _data().models}


def sources() -> tuple[str, tuple[str, ...]]:
    """The date of the facts, and where they are from."""
    data = _data()
    return data.date, data.sources


class _Data(NamedTuple):
    date: str
    sources: tuple[str, ...]
    families: Mapping[str, Mapping[str, Any]]
    models: Mapping[str, Mapping[str, Any]]


@lru_cache(maxsize=1024)
def _facts(model: str) -> Facts:
    data = _data()
    name = plain_name(model)
    listed = next((each for each in candidates(name) if each in data.models), None)
    merged: dict[str, Any] = {}
    whole = f"{name}-"  # so that the family `o1-` holds `o1` itself, and nothing that merely begins like it
    for end in range(1, len(whole) + 1):
        merged |= data.families.get(whole[:end], {})
    merged |= data.models[listed] if listed is not None else {}
    values = {key: _frozen(value) for key, value in merged.items()}
    return Facts(listed or name, listed is not None, **values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(inner) for inner in value) if isinstance(value, list) else value


@cache
def _data() -> _Data:
    import json

    with open(os.path.join(os.path.dirname(__file__), "facts.json"), encoding="utf-8") as file:
        data = json.load(file)
    return _Data(data["date"], tuple(data["sources"]), data["families"], data["models"])
