"""Inlay hints: the tokens of each part of the prompt at its key, and the value that stands in for a placeholder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from rolebook.definition.agent import Agent
from rolebook.json import compact
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import Compilation
from rolebook.prompt.request import Hole
from rolebook.prompt.tokens import Count
from rolebook.record import Record
from rolebook.syntax.template import placeholders
from rolebook.text import MappedText, Span
from rolebook_server.ide.compiled import compiled_at, count_for
from rolebook_server.ide.names import texts_of

_PARTS = ("global_instruction", "static_instruction", "identity", "instruction", "output_schema")
_WIDEST = 30
_MOST_HINTS, _MOST_AGENTS = 2_000, 50


class Hint(Record):
    """A text shown at `offset`, which belongs to no file. `tooltip` is Markdown."""

    offset: int
    label: str
    tooltip: str
    padding_left: bool = True
    padding_right: bool = False


def inlay_hints(snapshot: Snapshot, path: str, within: Span) -> tuple[Hint, ...]:
    """The hints of the definition at `path` that lie in `within`, in order."""
    source = snapshot.source(path)
    if source is None:
        return ()
    found: list[Hint] = []
    shown = [agent for agent in source.agents if _meet(_lines_of(agent), within)]
    for agent in shown[:_MOST_AGENTS]:
        standing = ((tree, place) for tree in snapshot.trees_with(path) for place in tree.of(agent))
        for tree, place in islice(standing, 1):
            found += _tokens(snapshot, source, tree, place, within)
            found += _values(tree, place, within)
    return tuple(sorted(found, key=lambda hint: hint.offset)[:_MOST_HINTS])


def _lines_of(agent: Agent) -> Span:
    """All that an agent's hints may stand in: its entries, which an alias may have brought in from elsewhere."""
    spans = [agent.span, *(entry.span for entry in agent.entries.values())]
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def _meet(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _tokens(snapshot: Snapshot, source: Source, tree: Tree, place: Place, within: Span) -> Iterator[Hint]:
    """At the end of a key's line, what its part of the prompt costs."""
    agent, text = place.agent, source.text
    spots: dict[str, int] = {}
    for key in (*_PARTS, "tools", "sub_agents"):
        entry = agent.entries.get(key)
        if entry is not None:
            end = text.line_span(text.line_of(entry.key.span.end)).end
            if within.start <= end <= within.end:
                spots[key] = end
    if not spots or agent.kind != "LlmAgent":
        return
    compilation = compiled_at(snapshot, tree, place)
    count = count_for(tree, place)
    sections = {section.name: section.compiled for section in compilation.split.sections}
    for key, offset in spots.items():
        if key == "tools":
            yield from _tools(compilation, count, offset)
        elif key == "sub_agents":
            targets = sections.get("transfer_targets")
            if targets is not None:
                number = len(tree.transfer_targets(place))
                what = f"{number} target{'' if number == 1 else 's'}"
                yield _hint(offset, count(targets.known_text), "The list of transfer targets", f"{what}, ")
        elif (compiled := sections.get(key)) is not None:
            what = f"This part of the {_half(key)} half"
            yield _hint(offset, count(compiled.known_text), what, holes=compiled.holes != ())


def _half(key: str) -> str:
    return "dynamic" if key in ("instruction", "output_schema") else "static"


def _tools(compilation: Compilation, count: Callable[[str], Count], offset: int) -> Iterator[Hint]:
    known = [tool for tool in compilation.request.tools if not isinstance(tool, Hole)]
    holes = len(known) < len(compilation.request.tools)
    if known:
        counted = count(compact([tool.to_json() for tool in known]))
        yield _hint(offset, counted, "The declarations of all tools", holes=holes)


def _hint(offset: int, counted: Count, what: str, before: str = "", *, holes: bool = False) -> Hint:
    about = "" if counted.exact else "≈ "
    plural = "" if counted.tokens == 1 else "s"
    more = " What only a run can know is not counted." if holes else ""
    return Hint(
        offset,
        f"{before}{about}{counted.tokens:,} token{plural}{' + ?' if holes else ''}",
        f"{what}: {counted}, with the values of the preview.{more}",
    )


def _values(tree: Tree, place: Place, within: Span) -> Iterator[Hint]:
    """Behind a placeholder, its value in the preview."""
    state: dict[str, object] | None = None
    for key, text in texts_of(place.agent):
        if key not in ("instruction", "global_instruction") or not _meet(text.source(0, len(text.text)), within):
            continue
        for placeholder in placeholders(text.text, tree.template_syntax(place)):
            if placeholder.escaped or placeholder.artifact:
                continue
            end = _end(text, placeholder.span)
            if within.start <= end <= within.end:
                state = dict(initial_state(tree, samples=True)) if state is None else state
                if state.get(placeholder.key) is not None:
                    yield _value(end, placeholder.key, state[placeholder.key])


def _end(text: MappedText, span: Span) -> int:
    return text.source(*span).end


def _value(offset: int, key: str, value: object) -> Hint:
    whole = value if isinstance(value, str) else compact(value)
    shown = " ".join(whole[: 4 * _WIDEST].split())
    shown = shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"
    return Hint(offset, f"= {shown}", f"`{key}` in the preview, from its default or sample.", padding_left=False)
