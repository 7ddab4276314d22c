"""What a provider says went wrong, in an error body or in the middle of a stream, as one value for all of them.

Shapes read, 2026-11:
- Anthropic's `{"type": "error", "error": {"type", "message"}, "request_id"}` (platform.claude.com/docs/en/api/errors);
- Google's `{"error": {"code", "message", "status", "details"}}`, also in a list (ai.google.dev/gemini-api/docs/
  troubleshooting; google.rpc.Status and RetryInfo);
- OpenAI's `{"error": {"message", "type", "param", "code"}}` (platform.openai.com/docs/guides/error-codes);
- `{"error": "…"}` (Ollama), `{"object": "error", "message", "code"}` (vLLM), `{"detail": "…"}` (FastAPI).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from rolebook.record import Record
from rolebook.wire.reading import items, obj, parsed, string

ErrorKind = Literal[
    "invalid_request",
    "too_long",
    "authentication",
    "billing",
    "permission",
    "not_found",
    "rate_limit",
    "overloaded",
    "server",
    "timeout",
    "other",
]

_EXCERPT = 200
_LONGEST_MESSAGE = 2_000

# The names that providers give to what went wrong, in lower case. The first that fits counts.
_NAMES: dict[str, ErrorKind] = {
    "invalid_request_error": "invalid_request",
    "invalid_argument": "invalid_request",
    "failed_precondition": "invalid_request",
    "out_of_range": "invalid_request",
    "badrequesterror": "invalid_request",
    "context_length_exceeded": "too_long",
    "exceed_context_size_error": "too_long",
    "request_too_large": "too_long",
    "string_above_max_length": "too_long",
    "authentication_error": "authentication",
    "unauthenticated": "authentication",
    "invalid_api_key": "authentication",
    "billing_error": "billing",
    "insufficient_quota": "billing",
    "billing_hard_limit_reached": "billing",
    "permission_error": "permission",
    "permission_denied": "permission",
    "not_found_error": "not_found",
    "not_found": "not_found",
    "model_not_found": "not_found",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "resource_exhausted": "rate_limit",
    "requests": "rate_limit",
    "tokens": "rate_limit",
    "overloaded_error": "overloaded",
    "unavailable": "overloaded",
    "api_error": "server",
    "server_error": "server",
    "internal": "server",
    "internal_server_error": "server",
    "timeout_error": "timeout",
    "deadline_exceeded": "timeout",
}
_KINDS: dict[int, ErrorKind] = {
    400: "invalid_request",
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    408: "timeout",
    409: "invalid_request",
    413: "too_long",
    422: "invalid_request",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
# The status that an error has outside of a stream, for those that name only their kind.
_STATUSES: dict[ErrorKind, int] = {
    "invalid_request": 400,
    "too_long": 413,
    "authentication": 401,
    "billing": 402,
    "permission": 403,
    "not_found": 404,
    "rate_limit": 429,
    "overloaded": 529,
    "server": 500,
    "timeout": 504,
}
# What no setting and no waiting changes, though the provider files it under a broader kind.
_TOO_LONG = re.compile(r"prompt is too long|maximum context length|exceeds the maximum number of tokens", re.IGNORECASE)
_BAD_KEY = re.compile(r"API[ _]key (?:not valid|not found|expired)|API_KEY_INVALID", re.IGNORECASE)

# Keys as the providers write them. Servers like to quote the one that they refuse.
_KEY = re.compile(r"\b(?:sk|gsk|xai|hf)[-_][\w*.-]{8,}|\bAIza[\w*-]{8,}|\bAQ\.[\w*-]{8,}")
_NAMED_KEY = re.compile(
    r"\b(Bearer|api[-_ ]?key|token)([\s:=\"']{1,4})(?=[\w*.~+/-]*\d)[\w*.~+/-]{16,}=*", re.IGNORECASE
)
_HIDDEN = "…"


class ProviderError(Record):
    """Why a provider gave no answer.

    `message` is the provider's own sentence, with anything that looks like a key taken out. `retry_after` is the time
    in seconds after which it says to try again, and `request_id` what its support asks for; both None where it says
    nothing.
    """

    kind: ErrorKind
    message: str
    status: int | None = None
    retry_after: float | None = None
    request_id: str | None = None


def read_error(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> ProviderError:
    """The error of a response whose status isn't 200. `headers` are looked up in lower case. No bytes raise."""
    given = {name.lower(): value for name, value in (headers or {}).items()}
    text = body.decode("utf-8", "replace")
    value = parsed(text)
    found = error_in(value, "error", text) if isinstance(value, dict | list) else None
    kind = found.kind if found is not None and found.kind != "other" else _KINDS.get(status) or _by_class(status)
    seconds = _header_seconds(given)
    request_id = given.get("request-id") or given.get("x-request-id")
    return ProviderError(
        kind=kind,
        message=found.message if found is not None else unreadable(text),
        status=status,
        retry_after=seconds if seconds is not None else found.retry_after if found is not None else None,
        request_id=request_id or (found.request_id if found is not None else None),
    )


def error_in(value: object, event: str, source: str) -> ProviderError | None:
    """The error that a JSON value is, None where it is none.

    `event` is the type of the server-sent event that it came in; one of the type `error` is an error whatever its
    shape. `source` is the value's text, which stands for a message where there is none.
    """
    if isinstance(value, list):  # Google, where no event stream was asked for
        value = value[0] if value else None
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if not error and event != "error" and "error" not in (value.get("object"), value.get("type")):
        return None
    told = error if isinstance(error, dict) else value
    message = error if isinstance(error, str) else _message(told)
    message = hide_keys(message or source[:_EXCERPT])[:_LONGEST_MESSAGE]
    kind = _kind(told, message)
    status = next((found for key in ("status", "status_code", "code") if (found := _status(told.get(key)))), None)
    if kind == "other" and status is not None:
        kind = _KINDS.get(status) or _by_class(status)
    return ProviderError(
        kind=kind,
        message=message,
        status=status if status is not None else _STATUSES.get(kind),
        retry_after=_retry_delay(told),
        request_id=string(value.get("request_id")) or None,
    )


def unreadable(text: str) -> str:
    """What a person can use of a body that is no error of any known shape: its beginning, without keys."""
    return hide_keys(text.strip()[:_EXCERPT])


def hide_keys(text: str) -> str:
    """The text without what looks like a key. Who knows the key takes it out too, since not all look like one."""
    return _NAMED_KEY.sub(lambda match: match[1] + match[2] + _HIDDEN, _KEY.sub(_HIDDEN, text))


def _message(told: dict[str, Any]) -> str:
    for key in ("message", "detail", "error_description", "msg"):
        value = told.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list | dict) and value:
            inner = value[0] if isinstance(value, list) else value
            if found := string(obj(inner).get("msg")) or string(obj(inner).get("message")):
                return found
    return ""


def _kind(told: dict[str, Any], message: str) -> ErrorKind:
    if _TOO_LONG.search(message):
        return "too_long"
    if _BAD_KEY.search(message):
        return "authentication"
    names = (string(told.get(key)).lower() for key in ("code", "status", "type"))
    return next((_NAMES[name] for name in names if name in _NAMES), "other")


def _by_class(status: int) -> ErrorKind:
    return "server" if status >= 500 else "invalid_request" if status >= 400 else "other"


def _status(code: object) -> int | None:
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    return number if isinstance(number, int) and 400 <= number <= 599 else None


def _header_seconds(headers: Mapping[str, str]) -> float | None:
    """`retry-after-ms` (OpenAI) or `retry-after` in seconds; a date is for the caller, who has a clock."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _seconds(headers.get(name, ""))
        if seconds is not None:
            return seconds * unit
    return None


def _retry_delay(told: dict[str, Any]) -> float | None:
    """The delay of a `google.rpc.RetryInfo` among the details: seconds with an `s` behind them."""
    for detail in items(told.get("details")):
        delay = string(obj(detail).get("retryDelay"))
        if delay.endswith("s"):
            return _seconds(delay[:-1])
    return None


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
