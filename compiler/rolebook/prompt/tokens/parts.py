"""The tokens of every part of a request: halves, messages, tools, the schema, the provider's framing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rolebook.json import compact
from rolebook.models import Facts
from rolebook.prompt.compile import Compilation
from rolebook.prompt.events import FunctionCall, FunctionResponse, OtherPart, TextPart
from rolebook.prompt.messages import Message
from rolebook.prompt.request import Hole
from rolebook.prompt.tokens import Count
from rolebook.prompt.tokens.framing import framing
from rolebook.record import Record

_RENDERED = 0.3
"""The error of what a provider writes in a form of its own: tool declarations, schemas, calls, results."""


class Part(Record):
    """One part and its count. `holes` are what only a run can know; they aren't counted.

    The counts of `within` are those of its sections each alone, so they need not add up: at a seam, two tokens may
    become one.
    """

    name: str
    count: Count
    note: str = ""
    holes: tuple[str, ...] = ()
    within: tuple[Part, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The JSON object of spec §9, with what more there is to say where there is more."""
        out: dict[str, Any] = {
            "part": self.name,
            "tokens": self.count.tokens,
            "tokenizer": self.count.tokenizer,
            "exact": self.count.exact,
        }
        if not self.count.exact:
            out["error"] = round(self.count.error, 3)
        if self.note:
            out["note"] = self.note
        if self.holes:
            out["holes"] = list(self.holes)
        if self.within:
            out["parts"] = [part.to_json() for part in self.within]
        return out


def count_parts(compilation: Compilation, known: Facts, count: Callable[[str], Count]) -> tuple[Part, ...]:
    """The parts in the order in which a provider reads them; `count` gives a text's tokens, `known` is of the model."""
    request = compilation.request
    return (
        *_halves(compilation, count),
        *(_tool(tool, count) for tool in request.tools),
        *_schema(compilation, count),
        *(_message(index, message, count) for index, message in enumerate(request.messages, 1)),
        _framing(compilation, known, count),
    )


def total(parts: Sequence[Part]) -> Count:
    """All parts together. The errors of the parts add up, as if all lay on one side."""
    tokens = sum(part.count.tokens for part in parts)
    spread = sum(part.count.tokens * part.count.error for part in parts)
    error = spread / tokens if tokens else 0.0
    return Count(tokens, parts[0].count.tokenizer, all(part.count.exact for part in parts), error)


def _halves(compilation: Compilation, count: Callable[[str], Count]) -> Iterator[Part]:
    split = compilation.split
    for name, half in (("static", split.static), ("dynamic", split.dynamic)):
        if not half.text:
            continue
        within = tuple(
            Part(section.name, count(section.compiled.known_text), holes=_names(section.compiled.holes))
            for section in split.sections
            if section.half == name
        )
        yield Part(name, count(half.known_text), holes=_names(half.holes), within=within)


def _names(holes: Sequence[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hole.name for hole in holes))


def _tool(tool: Any, count: Callable[[str], Count]) -> Part:
    if isinstance(tool, Hole):
        return Part(f"tool {tool.name}", count(""), holes=(tool.name,))
    return Part(f"tool {tool.name}", _rendered(count(compact(tool.to_json()))))


def _schema(compilation: Compilation, count: Callable[[str], Count]) -> Iterator[Part]:
    schema = compilation.request.output_schema
    if isinstance(schema, Hole):
        yield Part("output_schema", count(""), holes=(schema.name,))
    elif schema is not None:
        note = "beside the instruction, as the provider's structured output"
        yield Part("output_schema", _rendered(count(compact(schema))), note)


def _message(index: int, message: Message, count: Callable[[str], Count]) -> Part:
    name = f"message {index} ({message.role})"
    if message.hole is not None:
        return Part(name, count(""), holes=(message.hole,))
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    counts = [count(text) for text in texts]
    others = 0
    for part in message.parts:
        match part:
            case FunctionCall(_, tool, args):
                counts.append(_rendered(count(f"{tool}{compact(args)}")))
            case FunctionResponse(_, tool, response):
                told = response if isinstance(response, str) else compact(response)
                counts.append(_rendered(count(f"{tool}{told}")))
            case OtherPart():
                others += 1
    note = f"{others} part{'' if others == 1 else 's'} that {'is' if others == 1 else 'are'} no text, not counted"
    counted = _sum(counts, count(""))
    if others:  # how many tokens a picture has isn't known here
        return Part(name, Count(counted.tokens, counted.tokenizer, False, max(counted.error, 1.0)), note)
    return Part(name, counted)


def _framing(compilation: Compilation, known: Facts, count: Callable[[str], Count]) -> Part:
    made = framing(compilation.request, known)
    return Part("framing", Count(made.tokens, count("").tokenizer, False, made.error), made.note)


def _rendered(counted: Count) -> Count:
    return Count(counted.tokens, counted.tokenizer, False, counted.error + _RENDERED)


def _sum(counts: Sequence[Count], nothing: Count) -> Count:
    return total([Part("", each) for each in counts]) if counts else nothing
