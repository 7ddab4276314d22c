"""What secrets look like: keys in their makers' forms, and values under telling names. No message quotes one.

Sources: the makers' documentation of their keys' prefixes, as secret scanners list them (gitleaks, GitHub's secret
scanning partners).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rolebook.text import Span

_ADVICE = "take it from the environment, and revoke it if this file was ever shared"

_KEYS: tuple[tuple[str, str, str], ...] = (
    ("sk-ant-", r"sk-ant-[\w-]{20,}", "an Anthropic API key"),
    ("sk-or-", r"sk-or-[\w-]{20,}", "an OpenRouter API key"),
    ("sk-", r"sk-(?!ant-|or-)(?:[a-z]{2,8}-)?[A-Za-z0-9_-]*[A-Za-z0-9]{20}[\w-]*", "an API key"),
    ("AIza", r"AIza[\w-]{35}", "a Google API key"),
    ("gsk_", r"gsk_[A-Za-z0-9]{40,}", "a Groq API key"),
    ("xai-", r"xai-[A-Za-z0-9]{60,}", "an xAI API key"),
    ("pplx-", r"pplx-[A-Za-z0-9]{40,}", "a Perplexity API key"),
    ("tvly-", r"tvly-[A-Za-z0-9-]{28,}", "a Tavily API key"),
    ("hf_", r"hf_[A-Za-z0-9]{30,}", "a Hugging Face token"),
    ("ghp_", r"ghp_[A-Za-z0-9]{36,}", "a GitHub token"),
    ("gho_", r"gho_[A-Za-z0-9]{36,}", "a GitHub token"),
    ("ghs_", r"ghs_[A-Za-z0-9]{36,}", "a GitHub token"),
    ("ghu_", r"ghu_[A-Za-z0-9]{36,}", "a GitHub token"),
    ("github_pat_", r"github_pat_\w{50,}", "a GitHub token"),
    ("glpat-", r"glpat-[\w-]{20,}", "a GitLab token"),
    ("npm_", r"npm_[A-Za-z0-9]{36}", "an npm token"),
    ("xox", r"xox[abeoprs]-[A-Za-z0-9-]{20,}", "a Slack token"),
    ("AKIA", r"AKIA[0-9A-Z]{16}", "an AWS access key"),
    ("ASIA", r"ASIA[0-9A-Z]{16}", "an AWS access key"),
    ("sk_live_", r"sk_live_[A-Za-z0-9]{20,}", "a Stripe key"),
    ("rk_live_", r"rk_live_[A-Za-z0-9]{20,}", "a Stripe key"),
    ("SG.", r"SG\.[\w-]{22}\.[\w-]{43}", "a SendGrid key"),
    ("ya29.", r"ya29\.[\w-]{30,}", "a Google access token"),
    ("eyJ", r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}", "a JSON Web Token"),
)
"""The fixed beginning, which is looked for first and may be shown, the whole form, and what it is."""

_BEARER = r"\bbearer {1,3}([A-Za-z0-9._~+/-]{16,}=*)"
_PRIVATE_KEY = r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:\\n|\s){0,60}[A-Za-z0-9+/=]{20}"
_IN_URL = r"://[^\s:/@\"'<>]{1,64}:([^\s/@\"'<>]{1,200})@[\w.-]"

_NAMES = re.compile(
    r"(?:.*[_\-.])?(?:(?P<password>passw(?:or)?d|passphrase|pwd)|api[_-]?key|apikey|secret|secret[_-]?key|token"
    r"|access[_-]?key|private[_-]?key|authorization)",
    re.IGNORECASE,
)
_STAND_INS = (
    *("your", "example", "xxx", "...", "…", "placeholder", "change", "dummy", "fake", "redacted", "insert", "replace"),
    *("***", "sample", "abcdef", "123456789", "00000", "secret", "password", "todo", "none", "null"),
    "eyjzdwiioiixmjm0nty3odkw",  # the token that the introductions to JSON Web Tokens show
)
_LONGEST_NAME, _LONGEST_VALUE = 100, 4096
_SHORTEST = 12


class Secret(NamedTuple):
    """Where a secret stands, and what is to be said of it."""

    span: Span
    message: str


def secrets_in(text: str) -> Iterator[Secret]:
    """The secrets in a text by their form."""
    for start, pattern, what in _KEYS:
        if start in text:
            for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.ASCII):
                if not _is_stand_in(found[0]) and _is_random(found[0].removeprefix(start)):
                    message = f"this looks like {what} (`{start}…`, {len(found[0])} characters): {_ADVICE}"
                    yield Secret(Span(*found.span()), message)
    if "PRIVATE KEY-----" in text:
        for found in re.finditer(_PRIVATE_KEY, text):
            end = text.find("-----", found.start() + 5) + 5
            yield Secret(Span(found.start(), end), f"this is a private key: {_ADVICE}")
    if "earer " in text or "EARER " in text:
        for found in re.finditer(_BEARER, text, re.IGNORECASE):
            if not _is_stand_in(found[1]) and _is_random(found[1]):
                yield Secret(Span(*found.span(1)), f"this looks like an access token: {_ADVICE}")
    if "@" in text and "://" in text:
        for found in re.finditer(_IN_URL, text):
            if _is_password(found[1]):
                yield Secret(Span(*found.span(1)), f"this URL holds a password: {_ADVICE}")


def named_secret(name: str, value: str, span: Span) -> Secret | None:
    """The secret that stands under a telling name, None where it is none or only stands for one."""
    named = _NAMES.fullmatch(name) if len(name) <= _LONGEST_NAME else None
    if named is None or len(value) > _LONGEST_VALUE or any(char.isspace() for char in value.strip()):
        return None
    if named["password"]:
        secret = _is_password(value)
    else:
        secret = len(value) >= _SHORTEST and not _is_stand_in(value) and _is_random(value)
    return Secret(span, f"`{name}` holds a secret: {_ADVICE}") if secret else None


def _is_password(value: str) -> bool:
    """Whether a value can be a real password, and no name of a variable or state key that holds one."""
    if len(value) < 4 or _is_stand_in(value) or value.lower() in ("pass", "user", "root", "admin", "postgres", "test"):
        return False
    return not (re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:[_.][a-z]+)+", value) is not None)


def _is_stand_in(value: str) -> bool:
    """Whether the value only stands for a secret: a word that says so, a variable, dots or stars."""
    lowered = value.lower()
    return any(mark in value for mark in "{}<>$%") or any(word in lowered for word in _STAND_INS)


def _is_random(value: str) -> bool:
    """Whether a text has digits, letters and variety, as generated keys have and words haven't."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value) and len(set(value)) >= 8
