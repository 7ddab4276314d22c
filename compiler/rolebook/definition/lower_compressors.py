"""`context_compressor` as its entry holds it to typed strategies."""

from __future__ import annotations

from rolebook.definition.compressors import Compressor, SlidingWindow, Summarize, TokenBudget, Truncate
from rolebook.definition.parts import COMPRESSOR
from rolebook.definition.values import known_values, mappings_of
from rolebook.json import JsonObject
from rolebook.syntax.yaml import Entry, Mapping, Sequence


def compressors(entry: Entry | None) -> tuple[Compressor, ...]:
    """The strategies in their order. One that is unknown or incomplete is left out; a wrong option counts as unset."""
    if entry is None:
        return ()
    nodes = mappings_of(entry) if isinstance(entry.value, Sequence) else [entry.value]
    made = (_compressor(known_values(node, COMPRESSOR)) for node in nodes if isinstance(node, Mapping))
    return tuple(compressor for compressor in made if compressor is not None)


def _compressor(values: JsonObject) -> Compressor | None:
    threshold = _whole(values, "threshold", 0)
    match values.get("strategy"):
        case "truncate":
            return Truncate(_whole(values, "max_messages", 20, least=1), threshold)
        case "sliding_window":
            return SlidingWindow(_whole(values, "invocations", 5, least=1), threshold)
        case "summarize":
            told, model = _text(values, "summary_instruction"), _text(values, "model")
            return Summarize(_whole(values, "keep_recent", 10), told, model, threshold)
        case "token_budget" if (budget := _whole(values, "token_budget", -1)) >= 0:
            return TokenBudget(budget, _whole(values, "keep_recent", 2), _chars_per_token(values), threshold)
    return None


def _whole(values: JsonObject, name: str, default: int, least: int = 0) -> int:
    value = values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else default


def _text(values: JsonObject, name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _chars_per_token(values: JsonObject) -> float | None:
    if values.get("tokenizer") == "model":
        return None
    value = values.get("chars_per_token")
    return value if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0.01 else 4
