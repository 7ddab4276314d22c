"""A bar of the context window: what fills it, what is left, where the workspace's budget ends."""

from __future__ import annotations

from collections.abc import Sequence

from rolebook.prompt.tokens import Count
from rolebook.prompt.tokens.parts import Part
from rolebook.record import Record
from rolebook_cli.paint import Colour, paint

_WIDTH = 60
_FREE, _MARK = "·", "┃"


class _Kind(Record):
    """How parts of one kind are drawn; the glyph tells them apart where there is no colour."""

    title: str
    colour: Colour
    glyph: str


STATIC = _Kind("static", "cyan", "█")
DYNAMIC = _Kind("dynamic", "magenta", "▓")
TOOLS = _Kind("tools", "yellow", "▒")
MESSAGES = _Kind("messages", "green", "▚")
FRAMING = _Kind("framing", "dim", "░")
_KINDS = (STATIC, DYNAMIC, TOOLS, MESSAGES, FRAMING)


def kind_of(part: Part) -> _Kind:
    """How a part of a request is drawn."""
    match part.name.split(" ")[0]:
        case "static":
            return STATIC
        case "dynamic":
            return DYNAMIC
        case "tool" | "output_schema":
            return TOOLS
        case "message":
            return MESSAGES
    return FRAMING


def bar(parts: Sequence[Part], whole: Count, window: int | None, budget: int | None) -> list[str]:
    """The lines of the bar. It shows the window, or where that isn't known the budget; else only the parts' shares."""
    scale = max(window or budget or whole.tokens, 1)
    sizes = {kind.title: sum(part.count.tokens for part in parts if kind_of(part) is kind) for kind in _KINDS}
    cells: list[tuple[str, Colour]] = []
    filled = 0
    for kind in _KINDS:
        filled += sizes[kind.title]
        end = min(_cell(filled, scale), _WIDTH)
        if sizes[kind.title]:  # what is there is seen, however little it is
            end = max(end, min(len(cells) + 1, _WIDTH))
        cells += [(kind.glyph, kind.colour)] * (end - len(cells))
    cells += [(_FREE, "dim")] * (_WIDTH - len(cells))
    if budget is not None and budget <= scale:
        cells[min(_cell(budget, scale), _WIDTH - 1)] = (_MARK, "red")
    drawn = "".join(paint(glyph, colour) for glyph, colour in cells)
    legend = [
        f"{paint(kind.glyph, kind.colour)} {kind.title} {sizes[kind.title]:,}" for kind in _KINDS if sizes[kind.title]
    ]
    if budget is not None:
        legend.append(f"{paint(_MARK, 'red')} budget {budget:,}")
    return [f"{drawn} {_share(whole, window)}", "  ".join(legend)]


def verdict(whole: Count, limit: int | None, what: str) -> str:
    """A sentence where the request doesn't fit, "" where it does. `what` names the limit."""
    if limit is None or whole.tokens <= limit:
        return ""
    return f"{whole.tokens:,} tokens are {whole.tokens - limit:,} more than {what} of {limit:,}"


def _cell(tokens: int, scale: int) -> int:
    return round(tokens * _WIDTH / scale)


def _share(whole: Count, window: int | None) -> str:
    if window is None:
        return "context window unknown"
    share = whole.tokens / window
    return f"{share:.1%} of {window:,}" if share >= 0.001 or not whole.tokens else f"< 0.1% of {window:,}"
