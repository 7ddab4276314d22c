"""From how many tokens on a provider caches a prefix, by model. These tables and their sources are all there is.

Below the minimum nothing fails: the prompt just isn't cached (Anthropic, OpenAI), or an entry can't be made (Gemini).
"""

from __future__ import annotations

import re

from rolebook.record import Record
from rolebook.wire.providers import Provider, is_openai_model, wire_name


class Minimum(Record):
    """The fewest tokens that are cached, and where that stands; `assumed` where the model isn't in the table."""

    tokens: int
    source: str
    assumed: bool = False


_ANTHROPIC_SOURCE = (
    "platform.claude.com/docs/en/build-with-claude/prompt-caching, as retold in docs.litellm.ai/docs/completion/"
    "prompt_caching (2026-10-07) and anthropic-sdk-python#1194, read 2026-11-30"
)
_ANTHROPIC = {
    "claude-opus-5": 512,
    "claude-fable-5": 512,
    "claude-mythos-5": 512,
    "claude-sonnet-5": 1_024,
    "claude-opus-4-8": 1_024,
    "claude-opus-4-7": 2_048,
    "claude-opus-4-6": 4_096,
    "claude-opus-4-5": 4_096,
    "claude-haiku-4-5": 4_096,
    "claude-sonnet-4-6": 1_024,
    "claude-sonnet-4-5": 1_024,
    "claude-opus-4-1": 1_024,
    "claude-opus-4": 1_024,
    "claude-sonnet-4": 1_024,
    "claude-3-7-sonnet": 1_024,
    "claude-3-5-sonnet": 1_024,
    "claude-3-opus": 1_024,
    "claude-3-5-haiku": 2_048,
    "claude-3-haiku": 2_048,
}

_GEMINI_SOURCE = "ai.google.dev/gemini-api/docs/caching, versions of 2026-05-07 and 2026-07-07, read 2026-11-30"
_GEMINI = {
    "gemini-3.8-flash": 4_096,
    "gemini-3.7-flash": 4_096,
    "gemini-3.6-flash": 4_096,
    "gemini-3.5-flash": 4_096,
    "gemini-3.1-pro-preview": 4_096,
    "gemini-3-pro-preview": 4_096,
    "gemini-3-flash-preview": 1_024,
    "gemini-2.5-pro": 2_048,
    "gemini-2.5-flash": 2_048,
}
_GEMINI_OTHERS = 4_096  # the largest of the table, since an entry below the minimum is an error

_OPENAI_SOURCE = "platform.openai.com/docs/guides/prompt-caching, read 2026-11-30"
_OPENAI = 1_024

_DATED = re.compile(r"(?:-\d{8}|@\d{8}|-latest|-0)$")


def minimum(provider: Provider, model: str | None) -> Minimum | None:
    """The minimum of a model, None where it isn't known (a server with a cache of its own, or none)."""
    if not model:
        return None
    name = _DATED.sub("", wire_name(model))
    match provider:
        case "anthropic":
            return Minimum(_ANTHROPIC[name], _ANTHROPIC_SOURCE) if name in _ANTHROPIC else None
        case "gemini":
            known = _GEMINI.get(name)
            return Minimum(known or _GEMINI_OTHERS, _GEMINI_SOURCE, assumed=known is None)
        case "openai":
            return Minimum(_OPENAI, _OPENAI_SOURCE) if is_openai_model(model) else None
