"""What a provider puts around the texts of a request: role markers, the start of the answer, a prompt about tools.

Nobody publishes all of it, so it is an estimate, named and apart from the texts. Sources: OpenAI's cookbook ("How to
count tokens with tiktoken"), Anthropic's table of tool use system prompts and counts of `ctok`, Gemini's countTokens
(which gives texts without markers), and the chat templates of Llama 3 and ChatML for the open models.
"""

from __future__ import annotations

from rolebook.models import Facts
from rolebook.prompt.request import LlmRequest
from rolebook.prompt.tokens.claude import FRAMES
from rolebook.record import Record


class Framing(Record):
    """`tokens`, how they come about in words, and the relative error."""

    tokens: int
    note: str
    error: float


class _Style(Record):
    message: int
    """Tokens for each message: its role and what marks its beginning and end."""
    system: int
    """Tokens that mark the system instruction."""
    once: int
    """Tokens that each request has once, such as those that open the answer."""


_STYLES = {"openai": _Style(4, 4, 3), "gemini": _Style(1, 0, 1), "anthropic": _Style(4, 3, 3)}
_TEMPLATE = _Style(5, 5, 4)
_ERROR = 0.5


def framing(request: LlmRequest, known: Facts) -> Framing:
    """The tokens around the texts of a request to a model of which this is known."""
    style = _STYLES.get(known.provider or "", _TEMPLATE)
    messages = len(request.messages)
    system = style.system if request.instruction else 0
    once = style.once
    if known.tokenizer in FRAMES:
        once = FRAMES[known.tokenizer] - style.message
    tokens = messages * style.message + system + once
    notes = []
    if messages:
        notes.append(f"{style.message} for {'the message' if messages == 1 else f'each of {messages} messages'}")
    if system:
        notes.append(f"{system} for the instruction")
    notes.append(f"{once} for each request")
    if request.tools and known.tool_prompt:
        tokens += known.tool_prompt
        notes.append(f"{known.tool_prompt} of the provider's own prompt about tools")
    return Framing(tokens, ", ".join(notes), _ERROR)
