"""What makers say of the settings of their models: which they refuse, together or alone, and how far values go.

Sources beside the facts about models: the references of Gemini's `GenerationConfig`, of OpenAI's Chat Completions and
of Anthropic's Messages; ai.google.dev/gemini-api/docs/thinking for budgets and levels of thinking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rolebook.json import JsonValue
from rolebook.problem import Severity
from rolebook.rules.models.in_force import InForce
from rolebook.rules.refused_setting import Complaint

_RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "gemini": {
        "temperature": (0, 2),
        "candidate_count": (1, 8),
        "presence_penalty": (-2, 2),
        "frequency_penalty": (-2, 2),
        "logprobs": (0, 20),
    },
    "anthropic": {"temperature": (0, 1)},
    "openai": {
        "temperature": (0, 2),
        "candidate_count": (1, 128),
        "presence_penalty": (-2, 2),
        "frequency_penalty": (-2, 2),
        "logprobs": (0, 20),
    },
}
_STOP_SEQUENCES = {"gemini": 5, "openai": 4}

_THINKING: tuple[tuple[str, int, int, bool], ...] = (
    ("gemini-2.5-pro", 128, 32768, False),
    ("gemini-2.5-flash-lite", 512, 24576, True),
    ("gemini-2.5-flash", 0, 24576, True),
)
"""The least and the most tokens for thinking, and whether 0 turns it off; -1 leaves it to the model."""

_WITHOUT_THINKING = re.compile(r"gemini-(?:1\.|2\.0-flash(?!-thinking))")
_WITH_BUDGET_ONLY = re.compile(r"gemini-2\.")


def limits(model: InForce, config: Mapping[str, JsonValue]) -> Iterator[Complaint]:
    """The complaints about settings that are set, for a model at its maker's own API."""
    if not model.own or model.provider is None:
        return
    yield from _refused(model, config)
    yield from _thinking(model, config)
    for name, (least, most) in _RANGES[model.provider].items():
        value = _number(config.get(name))
        if value is not None and not least <= value <= most:
            message = f"`{model.name}` takes a `{name}` from {least:g} to {most:g}, not {value:g}"
            yield Complaint(name, message, at_value=True)
    most_tokens, tokens = model.facts.max_output_tokens, _number(config.get("max_output_tokens"))
    if most_tokens is not None and tokens is not None and tokens > most_tokens:
        message = f"`{model.name}` gives at most {most_tokens:,} tokens in an answer, not {tokens:,.0f}"
        yield Complaint("max_output_tokens", message, at_value=True)
    stops, most_stops = config.get("stop_sequences"), _STOP_SEQUENCES.get(model.provider)
    if isinstance(stops, list) and most_stops is not None and len(stops) > most_stops:
        message = f"`{model.name}` takes at most {most_stops} stop sequences; here are {len(stops)}"
        yield Complaint("stop_sequences", message)


def _refused(model: InForce, config: Mapping[str, JsonValue]) -> Iterator[Complaint]:
    thinks = model.facts.thinks == "always"
    for name in (*model.facts.refused, *(model.facts.refused_thinking if thinks else ())):
        if name in config:
            yield Complaint(name, f"the model `{model.name}` takes no `{name}`")
    for group in model.facts.exclusive:
        given = [name for name in group if name in config]
        if len(given) > 1:
            names = " or ".join(f"`{name}`" for name in given)
            yield Complaint(given[-1], f"the model `{model.name}` takes either {names}, not both")
    for name in model.facts.ignored:
        if name in config:
            yield Complaint(
                name, f"the model `{model.name}` takes `{name}` and doesn't heed it", severity=Severity.INFO
            )


def _thinking(model: InForce, config: Mapping[str, JsonValue]) -> Iterator[Complaint]:
    thinking = config.get("thinking_config")
    if model.provider != "gemini" or not isinstance(thinking, Mapping):
        return
    budget = _number(_either(thinking, "thinking_budget", "thinkingBudget"))
    level = _either(thinking, "thinking_level", "thinkingLevel")
    name = model.facts.name
    if _WITHOUT_THINKING.match(name) and (level is not None or budget):
        yield Complaint("thinking_config", f"the model `{model.name}` doesn't think, and refuses settings for it")
    elif level is not None and budget is not None:
        yield Complaint("thinking_config", "Gemini takes either `thinking_budget` or `thinking_level`, not both")
    elif level is not None and _WITH_BUDGET_ONLY.match(name):
        message = f"the model `{model.name}` takes no `thinking_level`; it has a `thinking_budget`"
        yield Complaint("thinking_config", message)
    elif budget is not None:
        yield from _budget(model, budget, config)


def _budget(model: InForce, budget: float, config: Mapping[str, JsonValue]) -> Iterator[Complaint]:
    limit = _number(config.get("max_output_tokens"))
    for family, least, most, may_be_off in _THINKING:
        if model.facts.name.startswith(family):
            if budget != -1 and not (least <= budget <= most or (may_be_off and budget == 0)):
                off = ", or 0 for none" if may_be_off and least else ""
                message = f"`{model.name}` takes a `thinking_budget` from {least:,} to {most:,}{off}, not {budget:,.0f}"
                yield Complaint("thinking_config", message)
                return
            break
    if limit is not None and budget >= limit:
        message = (
            f"thinking may use up all of the {limit:,.0f} `max_output_tokens`, and leave none for the answer: the "
            f"`thinking_budget` is {budget:,.0f}"
        )
        yield Complaint("max_output_tokens", message, at_value=True)


def _either(values: Mapping[str, JsonValue], *names: str) -> JsonValue:
    return next((values[name] for name in names if values.get(name) is not None), None)


def _number(value: JsonValue) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
