"""What of a request its provider can cache, and why not where not (spec §6).

All three cache prefixes of what they are sent, in this order: tools, the static half, the dynamic half, conversation.
Anthropic does so up to the blocks that we mark, OpenAI by itself, Gemini in an entry that holds tools and static half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from rolebook.json import compact
from rolebook.models import facts
from rolebook.prompt.compile import Compilation
from rolebook.prompt.events import Part, TextPart, part_to_json
from rolebook.prompt.provenance import Compiled, Piece
from rolebook.prompt.request import Hole
from rolebook.record import Record
from rolebook.wire.providers import Provider, is_openai_model

PartName = Literal["tools", "static", "dynamic", "conversation"]

_SHOWN: dict[PartName, str] = {
    "tools": "the tools",
    "static": "the static half",
    "dynamic": "the dynamic half",
    "conversation": "the conversation",
}
_NEVER: dict[Provider, dict[PartName, str]] = {
    "anthropic": {
        "dynamic": "it is made for each request, so it stands behind the last mark",
        "conversation": "no mark is set in it",
    },
    "gemini": {
        "dynamic": "it is made for each request, so it is sent beside the entry",
        "conversation": "an entry holds only what doesn't change; what Gemini caches by itself comes on top",
    },
    "openai": {},
}


class CachePart(Record):
    """One part of a request. `why` says how it is cached, or why it isn't, as a clause for the user."""

    part: PartName
    tokens: int
    cached: bool
    why: str


class CacheReport(Record):
    """The parts in the order in which the provider reads them.

    `minimum` is the number of tokens from which on the model's provider caches (`rolebook.models`), None where it isn't
    known. Below it nothing fails: the prompt just isn't cached, and no entry is made.
    """

    provider: Provider
    model: str | None
    minimum: int | None
    parts: tuple[CachePart, ...]

    @property
    def cached_tokens(self) -> int:
        return sum(part.tokens for part in self.parts if part.cached)


class _Candidate(Record):
    """A part before the verdict. `obstacle` is what alone keeps it from being cached, "" for nothing.

    One that is `empty` isn't cached either, but is in nobody's way.
    """

    part: PartName
    tokens: int
    obstacle: str
    empty: bool = False


def cache_report(compilation: Compilation, provider: Provider, count: Callable[[str], int]) -> CacheReport:
    """The report on a request; `count` gives the tokens of a text as the model counts them.

    A part is cached together with all before it. So what changes keeps all that stands behind it from being cached too,
    and the minimum holds for the whole prefix.
    """
    model = compilation.request.model
    least = cache_minimum(provider, model)
    candidates = list(_candidates(compilation, provider, count))
    shared = _shared(candidates, provider)
    small = _too_small(candidates, shared, least, model)
    judged = []
    for candidate, why in zip(candidates, shared, strict=True):
        problem = why or small
        told = problem or _how(candidate.part, provider, model)
        judged.append(CachePart(candidate.part, candidate.tokens, not problem, told))
    return CacheReport(provider, model, least, tuple(judged))


def _candidates(compilation: Compilation, provider: Provider, count: Callable[[str], int]) -> Iterator[_Candidate]:
    request, split = compilation.request, compilation.split
    tools = sum(count(compact(tool.to_json())) for tool in request.tools if not isinstance(tool, Hole))
    holes = [tool.name for tool in request.tools if isinstance(tool, Hole)]
    if request.tools:
        yield _Candidate("tools", tools, f"`{holes[0]}` is known at run only" if holes else "")
    else:
        yield _Candidate("tools", 0, "there are none", empty=True)
    never = _NEVER[provider]
    halves: list[tuple[PartName, Compiled]] = [("static", split.static), ("dynamic", split.dynamic)]
    for part, half in halves:
        if half.text.strip():
            yield _Candidate(part, count(half.known_text), never.get(part) or _changing(half.pieces))
        else:
            yield _Candidate(part, 0, "there is none", empty=True)
    if request.messages:
        tokens = sum(count(_told(part)) for message in request.messages for part in message.parts)
        yield _Candidate("conversation", tokens, never.get("conversation", ""))
    else:
        yield _Candidate("conversation", 0, "there is none", empty=True)


def _told(part: Part) -> str:
    return part.text if isinstance(part, TextPart) else compact(part_to_json(part))


def _changing(pieces: Sequence[Piece]) -> str:
    """What makes a half change from one request to the next: the first piece that no definition gives."""
    for piece in pieces:
        match piece.kind:
            case "state":
                return f"it changes with the state key `{piece.name}`"
            case "artifact":
                return f"it changes with the artifact `{piece.name}`"
            case "provider":
                return f"it changes with what `{piece.name}` returns"
            case "hole":
                return f"it holds what only a run knows, {piece.text}"
    return ""


def _shared(candidates: Sequence[_Candidate], provider: Provider) -> list[str]:
    """The obstacle of each part: its own, or that of one before it, and in an entry that of the other half too."""
    before = ""
    obstacles = []
    for candidate in candidates:
        obstacles.append(candidate.obstacle or before)
        if candidate.obstacle and not candidate.empty and not before:
            before = f"{_SHOWN[candidate.part]} stand{'' if candidate.part == 'tools' else 's'} before it"
            before += f", and {'they' if candidate.part == 'tools' else 'it'} can't be cached"
    tools, static = obstacles[:2]
    if provider == "gemini" and static and not tools and not candidates[1].empty:
        obstacles[0] = f"one entry holds tools and static half, and {_SHOWN['static']} can't be cached"
    return obstacles


def cache_minimum(provider: Provider, model: str | None) -> int | None:
    """From how many tokens on `provider` caches for `model`; None where that isn't known.

    A server that only speaks OpenAI's protocol has a cache of its own, or none.
    """
    if model is None or (provider == "openai" and not is_openai_model(model)):
        return None
    return facts(model).cache_minimum


def _too_small(candidates: Sequence[_Candidate], obstacles: Sequence[str], least: int | None, model: str | None) -> str:
    size = sum(candidate.tokens for candidate, why in zip(candidates, obstacles, strict=True) if not why)
    if least is None or size >= least:
        return ""
    return f"all that could be cached is {size:,} tokens, and `{model}` caches from {least:,} on"


def _how(part: PartName, provider: Provider, model: str | None) -> str:
    unsure = "" if cache_minimum(provider, model) else "; from how many tokens on isn't known for this model"
    match provider:
        case "gemini":
            return f"kept in a cachedContents entry{unsure}"
        case "anthropic":
            return (
                f"marked with cache_control at the {'last tool' if part == 'tools' else 'first system block'}{unsure}"
            )
        case "openai":
            own = model is not None and is_openai_model(model)
            how = "cached by the provider itself" if own else "cached where the server has a prefix cache"
            return f"{how}, up to the last turn" if part == "conversation" else how
