"""A compiled request for people: the halves in their colours, tools, messages, the tokens of each, and the window."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.json import compact
from rolebook.models import facts
from rolebook.project.config import Config
from rolebook.prompt.compile import Compilation
from rolebook.prompt.provenance import Compiled
from rolebook.prompt.request import Declaration, Hole
from rolebook.prompt.tokens import count_by
from rolebook.prompt.tokens.parts import Part, count_parts, total
from rolebook_cli.output import paint, visible
from rolebook_cli.paint import Colour
from rolebook_cli.requests import Request
from rolebook_cli.window import DYNAMIC, MESSAGES, STATIC, TOOLS, bar


def compiled_text(request: Request, config: Config) -> str:
    """The lines of one request. What a terminal would obey stands escaped in them."""
    known = facts(request.model, config.models)
    parts = count_parts(request.compilation, known, lambda text: count_by(known, text))
    counts = {part.name: part for part in parts}
    place = request.place
    head = f"{place.agent.agent_class} · {request.model or 'no model'} · branch {place.branch}"
    lines = [f"{paint(visible(place.agent.name), 'bold')} · {visible(head)}"]
    lines += _halves(request.compilation, counts)
    lines += _tools(request.compilation, counts)
    lines += _messages(request.compilation, counts)
    return "\n".join([*lines, *bar(parts, total(parts), known.prompt_limit, config.token_budget)])


def _halves(compilation: Compilation, counts: dict[str, Part]) -> Iterator[str]:
    split = compilation.split
    for kind, half in ((STATIC, split.static), (DYNAMIC, split.dynamic)):
        if half.text:
            yield f"{paint(kind.title, kind.colour, 'bold')} {paint(str(counts[kind.title].count), 'dim')}"
            yield from _indented(half, kind.colour)


def _indented(half: Compiled, colour: Colour) -> Iterator[str]:
    """The lines of a half behind a rule in its colour; holes stand out."""
    shown = visible(half.text, keep="\n\t")
    if half.holes:
        shown = "".join(
            paint(visible(piece.text), "red") if piece.kind == "hole" else visible(piece.text, keep="\n\t")
            for piece in half.pieces
        )
    rule = paint("│", colour)
    for line in shown.split("\n"):
        yield f"  {rule} {line}"


def _tools(compilation: Compilation, counts: dict[str, Part]) -> Iterator[str]:
    tools = compilation.request.tools
    if not tools:
        return
    yield paint(TOOLS.title, TOOLS.colour, "bold")
    for tool in tools:
        if isinstance(tool, Hole):
            yield f"  {visible(tool.name)}: {paint('known at run', 'red')}"
        else:
            yield f"  {visible(_signature(tool))} {paint(str(counts[f'tool {tool.name}'].count), 'dim')}"


def _messages(compilation: Compilation, counts: dict[str, Part]) -> Iterator[str]:
    messages = compilation.request.messages
    if not messages:
        return
    yield paint(MESSAGES.title, MESSAGES.colour, "bold")
    for index, message in enumerate(messages, 1):
        counted = counts[f"message {index} ({message.role})"].count
        yield f"  {message.role}: {visible(compact(message.to_json()['parts']))} {paint(str(counted), 'dim')}"


def _signature(tool: Declaration) -> str:
    """A tool's name with those of its parameters, the optional ones with a question mark."""
    required = tool.parameters.get("required") or []
    names = tool.parameters.get("properties") or {}
    if not isinstance(required, list | tuple) or not isinstance(names, dict):
        return f"{tool.name}(…)"
    return f"{tool.name}({', '.join(name if name in required else f'{name}?' for name in names)})"
