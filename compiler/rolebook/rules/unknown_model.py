"""A model whose name is misspelt, or belongs to no provider that is known.

Providers bring out new models all the time, so an unknown name is no problem by itself: it is a warning where a word
of it is misspelt or its words stand in another order than those of a known model, and information where the name can't
be complete. A name that `[models.NAME]` describes in `rolebook.toml` is known.

## Why
The provider answers every request with an error, and only once the agent runs.

## Example
```yaml
name: helper
model: gemini-3.5-falsh
instruction: Answer.
```

## Instead
```yaml
name: helper
model: gemini-3.5-flash
instruction: Answer.
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from rolebook.models import Override, facts, known_models, override_of
from rolebook.problem import Fix, Problem, Severity
from rolebook.record import Record
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import written_models
from rolebook.text import Edit

_PROVIDERS = frozenset(
    {
        *("ai21", "anthropic", "azure", "azure_ai", "bedrock", "cerebras", "cloudflare", "cohere", "databricks"),
        *("deepinfra", "deepseek", "fireworks_ai", "gemini", "github", "google", "groq", "hosted_vllm", "huggingface"),
        *("litellm_proxy", "llama_cpp", "llamacpp", "lm_studio", "lmstudio", "local", "meta_llama", "mistral"),
        *("moonshot", "nvidia_nim", "ollama", "ollama_chat", "openai", "openrouter", "perplexity", "replicate"),
        *("sagemaker", "sambanova", "snowflake", "together", "together_ai", "vertex", "vertex_ai", "vllm", "watsonx"),
        *("xai", "zai"),
    }
)
"""Prefixes that are in use, by Rolebook's runner and by LiteLLM, for the nearest one to a misspelt one."""

_OWN = frozenset({"", "gemini", "google", "vertex", "vertex_ai", "anthropic", "openai"})
"""Prefixes behind which the makers' own names stand; any other server gives names of its own."""

_MORE_WORDS = frozenset(
    {
        *("audio", "chat", "codex", "computer", "customtools", "deep", "dialog", "embedding", "exp", "experimental"),
        *("fast", "high", "image", "instruct", "it", "latest", "live", "low", "max", "medium", "mini", "native"),
        *("preview", "pro", "realtime", "research", "robotics", "search", "thinking", "transcribe", "tts", "turbo"),
        *("ultra", "use", "vision"),
    }
)
"""Words of names that the data don't hold."""

_WORD = re.compile(r"[a-z]+|[0-9]+")
_LONGEST = 200
"""Characters; a longer name is no model's."""

_FAMILIES = ("gemini", "gemma", "claude", "chatgpt")


class _Doubt(Record):
    message: str
    severity: Severity
    instead: str | None = None


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    overrides = subject.snapshot.config(subject.path).models
    for agent in subject.source.agents:
        for name, node in written_models(agent):
            doubt = _doubt(name, overrides)
            if doubt is not None:
                near = doubt.instead
                fixes = (Fix(f"Change to `{near}`", (Edit(node.span, near),), safe=False),) if near else ()
                yield rule.problem(subject, node.span, doubt.message, doubt.severity, fixes=fixes)


def _doubt(model: str, overrides: Mapping[str, Override]) -> _Doubt | None:
    if model == "rehearsal" or len(model) > _LONGEST or override_of(model, overrides) is not None:
        return None
    usual = "/" not in model or model.partition("/")[0].lower() in _PROVIDERS
    if usual and facts(model).known:
        return None
    from rolebook.wire.providers import provider_of, split_model  # most models are known, and this takes a while

    prefix, name = split_model(model)
    written = model[: len(model) - len(name)]
    if prefix not in _PROVIDERS and prefix:
        near = next((known for known in sorted(_PROVIDERS) if len(known) > 4 and _is_slip(prefix, known)), None)
        if near is None:
            return None
        return _Doubt(f"no provider `{prefix}` is known; did you mean `{near}`?", Severity.WARNING, f"{near}/{name}")
    whole = not prefix and "/" in model  # a resource's full name, which may end in anything
    if prefix not in _OWN or whole or not name.isascii() or facts(model).known:
        return None
    if (meant := _misspelt(name.lower()) or _reordered(name.lower())) is not None:
        return _Doubt(
            f"no model `{model}` is known; did you mean `{written}{meant}`?", Severity.WARNING, written + meant
        )
    if provider_of(model) is None:
        if not any(char.isdigit() for char in name):
            return None  # the name that a server of the user's own gives to a model, rather than a public one
        message = f"`{model}` belongs to no known provider; write it as PROVIDER/NAME, such as `ollama/{model}`"
        return _Doubt(message, Severity.INFO)
    return _incomplete(model, name.lower())


def _misspelt(name: str) -> str | None:
    """The name with its misspelt words put right: words that are near to one that models of the family have."""
    words = [match for match in _WORD.finditer(name) if match[0].isalpha()]
    if not words:
        return None
    family = words[0][0]
    if family not in _FAMILIES:
        family = next((known for known in _FAMILIES if _is_slip(family, known)), "gpt" if family == "gpt" else "")
    known = _words_of(family)
    out, end, changed = "", 0, False
    for match in words if family else ():
        word = match[0]
        near = None if word in known else next((other for other in known if _is_slip(word, other)), None)
        out += name[end : match.start()] + (near or word)
        end, changed = match.end(), changed or near is not None
    return out + name[end:] if changed else None


@cache
def _words_of(family: str) -> tuple[str, ...]:
    """The words that names of a family are made of."""
    known = {word for other in known_models() if other.startswith(family) for word in _WORD.findall(other)}
    return tuple(sorted({family, *known, *_MORE_WORDS}))


def _reordered(name: str) -> str | None:
    """The known model that has the same words and numbers, which stand in another order or are joined otherwise."""
    words = sorted(_WORD.findall(name))
    return next((known for known in known_models() if sorted(_WORD.findall(known)) == words), None)


def _incomplete(model: str, name: str) -> _Doubt | None:
    """What is said of a name that other names go on from, or that has no version."""
    longer = [known for known in known_models() if known in (f"{name}-preview", f"{name}-latest")]
    if not longer:
        return None
    return _Doubt(f"no model `{model}` is known; there is `{longer[0]}`", Severity.INFO, longer[0])


def _is_slip(word: str, other: str) -> bool:
    """Whether one letter too many, too few, wrong or swapped with its neighbour makes one word of the other."""
    if word == other or min(len(word), len(other)) < 4 or abs(len(word) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    a, b = word[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


rule = Rule("unknown-model", Severity.WARNING, check, group="Models and tools")
