"""A compression strategy that never does anything, because a strategy before it leaves too little to work on.

Strategies run in order. After a `truncate` to 10 messages at most 10 are left, so a later strategy that starts above
10, or that keeps 10 or more, finds nothing to take away. With `include_contents: none` an agent sees the current turn
alone, so a window of turns takes nothing away either.

## Why
The conversation isn't kept short in the way that the definition says: the summary that was meant is never made.

## Example
```yaml
name: helper
instruction: Answer briefly.
context_compressor:
  - strategy: truncate
    max_messages: 10
  - strategy: summarize
    keep_recent: 20
```

## Instead
```yaml
name: helper
instruction: Answer briefly.
context_compressor:
  - strategy: summarize
    keep_recent: 20
  - strategy: truncate
    max_messages: 40
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Agent
from rolebook.json import JsonObject, JsonValue
from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.record import Record
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import strategies_of, value_span, without_item
from rolebook.syntax.yaml import Mapping

_DEFAULTS = {"truncate": 20, "sliding_window": 5, "summarize": 10, "token_budget": 2}
_KEPT = {
    "truncate": "max_messages",
    "sliding_window": "invocations",
    "summarize": "keep_recent",
    "token_budget": "keep_recent",
}
"""The option of each strategy that says how much it always leaves alone (spec §5)."""


_MOST = 50
"""Strategies that are held against each other; nobody means more."""


class _Strategy(Record):
    node: Mapping
    kind: str
    kept: int
    threshold: int
    options: JsonObject


class _Reason(Record):
    """Why a strategy can't do anything, and the one before it that is to blame, if any."""

    why: str
    by: _Strategy | None = None


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for agent in subject.source.agents:
        written = strategies_of(agent)[:_MOST]
        strategies = [found for node, options in written if (found := _strategy(node, options))]
        entry = agent.entries.get("context_compressor")
        for index, strategy in enumerate(strategies):
            reason = _reason(strategy, strategies[:index]) or _alone(strategy, agent)
            where = value_span(strategy.node, "strategy")
            if reason is None or where is None or entry is None:
                continue
            edits = tuple(without_item(subject.source.text, strategy.node, entry.value))
            fixes = (Fix("Remove this strategy", edits, safe=False),) if edits else ()
            other = value_span(reason.by.node, "strategy") if reason.by is not None else None
            related = (Related(subject.path, other, "this leaves too little"),) if other is not None else ()
            message = f"this `{strategy.kind}` never does anything: {reason.why}"
            yield rule.problem(subject, where, message, related=related, fixes=fixes)


def _alone(strategy: _Strategy, agent: Agent) -> _Reason | None:
    if strategy.kind == "sliding_window" and agent.include_contents == "none":
        return _Reason("`include_contents: none` shows the agent the current turn alone")
    return None


def _strategy(node: Mapping, options: JsonObject) -> _Strategy | None:
    """The strategy with the defaults of what isn't written; None where a value is of no use, which is told already."""
    kind = options.get("strategy")
    if not isinstance(kind, str) or kind not in _DEFAULTS:
        return None
    kept, above = _count(options.get(_KEPT[kind], _DEFAULTS[kind])), _count(options.get("threshold", 0))
    return _Strategy(node, kind, kept, above, options) if kept is not None and above is not None else None


def _count(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _reason(strategy: _Strategy, before: list[_Strategy]) -> _Reason | None:
    """Why a strategy can't do anything after those before it.

    A strategy runs only on more messages than its threshold, so the one before has run too where its threshold is no
    higher; else up to that many messages may have passed it. Strategies only ever take messages away, and the newest
    unit, which may be longer than any limit, is left alone by all of them.
    """
    for other in before:
        has_run = strategy.threshold >= other.threshold
        if other.kind == "truncate":
            most = other.kept if has_run else max(other.kept, other.threshold)
            left = f"the `truncate` before it leaves at most {_messages(most)}"
            if strategy.threshold >= max(other.kept, other.threshold):
                return _Reason(f"{left}, and this runs only on more than {strategy.threshold}", other)
            if strategy.kept >= most:
                return _Reason(f"{left}, and this keeps {_kept(strategy)}", other)
        elif has_run and other.kind == strategy.kind and strategy.kept >= other.kept and not _summarised(other, before):
            if other.kind == "sliding_window":
                return _Reason(f"the `sliding_window` before it leaves at most {_turns(other.kept)}", other)
            if other.kind == "token_budget" and _is_wider(strategy.options, other.options):
                return _Reason("the `token_budget` before it is as tight or tighter", other)
    return None


def _summarised(first: _Strategy, before: list[_Strategy]) -> bool:
    """Whether a summary may be made after `first`; it is a turn of its own, and may be longer than what it replaces."""
    return any(other.kind == "summarize" for other in before[before.index(first) + 1 :])


def _is_wider(later: JsonObject, earlier: JsonObject) -> bool:
    """Whether a later budget, counted in the same way, takes all that an earlier one leaves."""
    late, early = later.get("token_budget"), earlier.get("token_budget")
    same = all(later.get(name) == earlier.get(name) for name in ("chars_per_token", "tokenizer"))
    return same and isinstance(late, int) and isinstance(early, int) and late >= early


def _kept(strategy: _Strategy) -> str:
    return _turns(strategy.kept) if strategy.kind == "sliding_window" else _messages(strategy.kept)


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


rule = Rule("useless-compressor", Severity.WARNING, check, group="Compression")
