"""Which of the three protocols a model speaks, read from its name and what a workspace says of it (spec §1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, cast

from rolebook.models import Override, override_of

Provider = Literal["gemini", "anthropic", "openai"]

# Prefixes with a protocol of their own; every other `PROVIDER/NAME` speaks Chat Completions.
_PREFIXES: dict[str, Provider] = {
    "gemini": "gemini",
    "google": "gemini",
    "vertex": "gemini",
    "vertex_ai": "gemini",
    "anthropic": "anthropic",
}
# Google's resource names look like `PROVIDER/NAME` but name the model in their last segment.
_RESOURCES = frozenset({"models", "publishers", "projects"})
_OPENAI = re.compile(r"(?:ft:)?(?:gpt-|chatgpt-|o\d+(?:-|$))")
_OPENAI_HOSTS = frozenset({"", "openai", "azure"})


def provider_of(model: str | None, overrides: Mapping[str, Override] | None = None) -> Provider | None:
    """The protocol of `model`: what a workspace says (`Config.models`), its prefix, or the family of its name.

    A model with an address of its own speaks Chat Completions where nothing else is said. None where there is no model
    or a bare name belongs to no known family.
    """
    if not model:
        return None
    override = override_of(model, overrides)
    if override is not None and override.provider is not None:
        return cast(Provider, override.provider)
    if override is not None and override.base_url is not None:
        return _by_name(model) or "openai"
    return _by_name(model)


def _by_name(model: str) -> Provider | None:
    prefix, name = split_model(model)
    if prefix:
        return _PREFIXES.get(prefix, "openai")
    if name.startswith(("gemini-", "gemma-")):
        return "gemini"
    if name.startswith("claude-"):
        return "anthropic"
    return "openai" if _OPENAI.match(name) else None


def wire_name(model: str) -> str:
    """The name that the provider knows: `openrouter/meta/llama` is `meta/llama` there, `claude-opus-4-6` itself."""
    return split_model(model)[1]


def split_model(model: str) -> tuple[str, str]:
    """The provider's prefix in lower case, "" where there is none, and the name after it."""
    prefix, slash, name = model.partition("/")
    if not slash:
        return "", model
    if prefix in _RESOURCES:
        return "", model.rpartition("/")[2]
    return prefix.lower(), name


def is_openai_model(model: str) -> bool:
    """Whether OpenAI itself serves the model, as opposed to a server that speaks its protocol."""
    prefix, name = split_model(model)
    return prefix in _OPENAI_HOSTS and not name.startswith("gpt-oss") and _OPENAI.match(name) is not None
