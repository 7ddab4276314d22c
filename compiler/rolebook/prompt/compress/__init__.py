"""A conversation kept short (spec §5): what stays of the messages when the strategies of an agent ran over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rolebook.definition.compressors import Compressor, SlidingWindow, Summarize, TokenBudget, Truncate
from rolebook.prompt.compress import strategies
from rolebook.prompt.compress.cost import by_length, cost_of
from rolebook.prompt.compress.summary import SummaryNeeded, has_failed, summary_hole, summary_request, summary_text
from rolebook.prompt.compress.units import Unit, units
from rolebook.prompt.messages import Message
from rolebook.record import Record

__all__ = [
    "Compressed",
    "SummaryNeeded",
    "Unit",
    "compress",
    "has_failed",
    "summary_request",
    "summary_text",
    "units",
]


class Compressed(Record):
    """What stays. Where `summary` is set it has yet to be made, and a hole stands in its place."""

    messages: tuple[Message, ...]
    summary: SummaryNeeded | None = None


def compress(
    messages: Sequence[Message],
    compressors: Sequence[Compressor],
    *,
    instruction: str = "",
    count: Callable[[str], int],
) -> Compressed:
    """The messages after all strategies, which run in order, each on what the one before left.

    `instruction` is the compiled one without its holes; a token budget pays for it first. `count` gives the tokens of a
    text by the model's tokenizer. Linear in the messages.
    """
    kept = tuple(messages)
    needed: SummaryNeeded | None = None
    for compressor in compressors:
        if not kept or len(kept) <= compressor.threshold:
            continue
        start = _start(kept, compressor, instruction, count)
        older, kept = kept[:start], kept[start:]
        if isinstance(compressor, Summarize) and older:
            if len(older) == 1 and older[0].summary:
                kept = older + kept
            else:
                wanted = SummaryNeeded(older, compressor)
                needed = needed or wanted
                kept = (summary_hole(wanted), *kept)
    return Compressed(kept, needed)


def _start(messages: Sequence[Message], compressor: Compressor, instruction: str, count: Callable[[str], int]) -> int:
    found = units(messages)
    match compressor:
        case Truncate():
            return strategies.truncate(found, compressor)
        case SlidingWindow():
            return strategies.sliding_window(messages, found, compressor)
        case Summarize():
            return strategies.summarize(found, compressor)
        case TokenBudget(budget, _, chars_per_token):
            measure = count if chars_per_token is None else by_length(chars_per_token)
            left = budget - measure(instruction)
            return strategies.token_budget(messages, found, compressor, left, lambda message: cost_of(message, measure))
