"""What a message costs of a token budget."""

from __future__ import annotations

import math
from collections.abc import Callable

from rolebook.json import compact
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, Part, TextPart
from rolebook.prompt.messages import Message

_MEDIA = ("inline_data", "inlineData", "file_data", "fileData")
_MEDIA_TOKENS = 258
"""Gemini's price of a small image. The length of its base64 says nothing about its tokens."""


def by_length(chars_per_token: float) -> Callable[[str], int]:
    """A measure of texts: their code points by this number, rounded up."""
    return lambda text: math.ceil(len(text) / chars_per_token)


def cost_of(message: Message, measure: Callable[[str], int]) -> int:
    """The tokens of a message, its text measured as one. A call or response counts its name and its compact JSON.

    A hole costs nothing, a picture or file the same whatever its size, and of a thought its text counts.
    """
    if message.hole is not None:
        return 0
    media = sum(isinstance(part, OtherPart) and is_media(part) for part in message.parts)
    return measure("".join(map(_text, message.parts))) + _MEDIA_TOKENS * media


def is_media(part: OtherPart) -> bool:
    """Whether the part is a picture, a sound or a file."""
    return any(name in part.data for name in _MEDIA)


def _text(part: Part) -> str:
    match part:
        case TextPart(text):
            return text
        case FunctionCall(_, name, args):
            return name + compact(args)
        case FunctionResponse(_, name, response):
            return name + compact(response)
    said = part.data.get("text") or part.data.get("thinking")
    return said if isinstance(said, str) else ""
