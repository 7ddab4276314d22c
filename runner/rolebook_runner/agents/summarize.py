"""A summary that a compressor asks for: made by a model, and stored as an event that hides what it replaces."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from rolebook.json import JsonValue
from rolebook.project.tree import Place
from rolebook.prompt.compress import SummaryNeeded, summary_request, summary_text
from rolebook.prompt.events import COMPACTION, Event, TextPart
from rolebook_runner.agents.ask import Reply, ask
from rolebook_runner.errors import RunError
from rolebook_runner.invocation import Invocation
from rolebook_runner.models.model import ModelCall
from rolebook_runner.sessions.state import Line

logger = logging.getLogger("rolebook.run")

_NO_SUMMARY = ("content_filter", "refusal")


async def summarize(
    turn: Invocation,
    line: Line,
    place: Place,
    needed: SummaryNeeded,
    events: tuple[Event, ...],
    state: Mapping[str, JsonValue],
) -> None:
    """Makes and stores the summary. It counts as a model call; until it is stored, nothing changes.

    One that fails is stored as a compaction event without text that replaces nothing and says why in its metadata: the
    messages stay as they are for the rest of the turn (spec §5). Raises LimitReached where no call is left.
    """
    settings, name = turn.settings, place.agent.name
    request = summary_request(needed, settings.model or needed.strategy.model or settings.tree.model(place))
    turn.spent.model_call()
    call = ModelCall(place, request, events, state, turn.id, needed.messages)
    settings.on_model_call(call)
    try:
        reply = await ask(turn, call)
        problem = _problem(reply)
    except RunError as error:
        problem = str(error)
    if problem is None:
        replaces = tuple(message.event for message in needed.messages if message.event is not None)
        text = TextPart(summary_text(reply.text))
        await turn.store(line, COMPACTION, place.branch, (text,), replaces=replaces, metadata=reply.metadata)
        return
    await turn.store(line, COMPACTION, place.branch, (), metadata={"error": problem})
    sentence = f"the summary of {len(needed.messages)} messages failed, so they stay as they are: {problem}"
    logger.warning("agent `%s`: %s", name, sentence)
    await turn.warn(sentence, name)


def _problem(reply: Reply) -> str | None:
    """Why the reply is no summary. One that was cut off at the token limit is better than none."""
    if reply.metadata.get("finish") in _NO_SUMMARY:
        return "the model refused to answer, or was kept from it"
    return None if reply.text.strip() else "the model answered without a text"
