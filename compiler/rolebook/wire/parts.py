"""Reading `OtherPart`: media, thoughts and signatures, in snake_case or in Google's camelCase."""

from __future__ import annotations

from collections.abc import Mapping

from rolebook.json import JsonObject, JsonValue
from rolebook.record import Record

_STANDARD_ALPHABET = str.maketrans("-_", "+/")


class Media(Record):
    """Bytes in base64, or the URI where they lie; exactly one of the two is set."""

    mime_type: str
    data: str | None = None
    uri: str | None = None


def media(part: JsonObject) -> Media | None:
    """The media of a part `{"inline_data": …}` or `{"file_data": …}`, None for a part of another kind.

    google-genai writes base64 in its URL-safe alphabet, which only Gemini reads; the result is in the standard one.
    """
    inline, file = _get(part, "inline_data", "inlineData"), _get(part, "file_data", "fileData")
    if isinstance(inline, Mapping):
        mime_type, data = _get(inline, "mime_type", "mimeType"), inline.get("data")
        if isinstance(mime_type, str) and isinstance(data, str):
            return Media(mime_type, data=data.translate(_STANDARD_ALPHABET))
    if isinstance(file, Mapping):
        mime_type, uri = _get(file, "mime_type", "mimeType"), _get(file, "file_uri", "fileUri")
        if isinstance(uri, str):
            return Media(mime_type if isinstance(mime_type, str) else "", uri=uri)
    return None


def visible_text(part: JsonObject) -> str | None:
    """The text of a part that is text with something more, such as a signature; None for a thought."""
    text = part.get("text")
    return text if isinstance(text, str) and text.strip() and not part.get("thought") else None


def signature(part: JsonObject) -> str | None:
    """Gemini's signature of the call that follows: a part `{"thought_signature": …}` that holds nothing else."""
    value = _get(part, "thought_signature", "thoughtSignature")
    return value if isinstance(value, str) and len(part) == 1 else None


def is_thought(part: JsonObject) -> bool:
    """Whether a part is a model's thought. One belongs to the provider that made it, and the others never get it."""
    if part.get("thought") or is_anthropic_thought(part):
        return True
    return (
        _get(part, "thought_signature", "thoughtSignature") is not None and not visible_text(part) and not media(part)
    )


def is_anthropic_thought(part: JsonObject) -> bool:
    return part.get("type") in ("thinking", "redacted_thinking")


def is_hole(part: JsonObject) -> bool:
    """Whether a part stands for what only a run can know, such as a summary not yet made (spec §3)."""
    return "hole" in part


def left_out(part: JsonObject, service: str) -> list[str]:
    """The warning for a part that a service doesn't take, none for a thought."""
    if is_thought(part):
        return []
    found = media(part)
    kind = found.mime_type or "of unknown type" if found else f"`{next(iter(part), '')}`"
    return [f"{service} takes no part {kind} here; it is left out"]


def _get(value: Mapping[str, JsonValue], *names: str) -> JsonValue:
    return next((value[name] for name in names if name in value), None)
