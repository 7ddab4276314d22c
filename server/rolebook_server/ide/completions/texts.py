"""What may stand in a text at the cursor: state keys behind an open brace, and agents that the text hands over to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.json import compact
from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source
from rolebook.project.state import Setter, initial_state
from rolebook.project.tree import Place, Tree
from rolebook.syntax.template import TemplateSyntax
from rolebook.syntax.transfers import mentions
from rolebook.syntax.yaml import Scalar
from rolebook.text import Span
from rolebook_server.ide.completions.here import places_of
from rolebook_server.ide.completions.item import Item
from rolebook_server.ide.locate import Found

_OPEN = {
    "braces": re.compile(r"(?<![\\{])\{(?P<word>[\w:]*)$", re.ASCII),
    "angles": re.compile(r"(?<![\\<])<(?P<word>[\w:]*)$", re.ASCII),
}
_CLOSED = {"braces": re.compile(r"[\w:]*\??\}", re.ASCII), "angles": re.compile(r"[\w:]*\??>", re.ASCII)}
_REST = re.compile(r"[\w:]*", re.ASCII)
_CALL = re.compile(r"""transfer_to_agent\(\s{0,20}(?:agent_name\s{0,20}=\s{0,20})?(?P<quote>\\?["'])(?P<word>\w*)$""")
_QUOTED = re.compile(r"(?P<quote>[`\"'])(?P<word>\w*)$")
_SUBSTITUTED = ("instruction", "global_instruction")
_TOLD = (*_SUBSTITUTED, "description", "static_instruction", "identity")
_MARK = "zz_cursor"
_WIDEST = 2_000
"""Characters of a text before the cursor that are looked at."""
_MOST_PLACES = 20


def in_text(snapshot: Snapshot, source: Source, found: Found, offset: int) -> Iterator[Item]:
    """The proposals inside of a text; none where the cursor is in no text, or nothing is known."""
    line = source.text.line_span(source.text.line_of(offset))
    before = source.text.source[max(line.start, offset - _WIDEST) : offset]
    if found.on_key or found.key is None:
        return
    if found.key in _TOLD and (target := _transfer(found, before, offset)) is not None:
        yield from _targets(snapshot, source, found, *target)
        return
    places = tuple(places_of(snapshot, found.agent))[:_MOST_PLACES]
    if not places:
        return
    syntax: TemplateSyntax = "braces"
    if found.key in _SUBSTITUTED:
        syntax = places[0][0].template_syntax(places[0][1])
    elif not _is_rehearsed(found):
        return
    opened = _OPEN[syntax].search(before)
    if opened is not None:
        yield from _keys(snapshot, source, found, places, syntax, Span(offset - len(opened["word"]), offset))


def _is_rehearsed(found: Found) -> bool:
    names = [entry.name for entry in found.entries]
    return names[:2] in (["rehearsal", "say"], ["rehearsal", "call"]) and isinstance(found.node, Scalar)


def _keys(
    snapshot: Snapshot,
    source: Source,
    found: Found,
    places: tuple[tuple[Tree, Place], ...],
    syntax: TemplateSyntax,
    span: Span,
) -> Iterator[Item]:
    """The keys that are set by the time the text is read; those that may not be, or only in a later turn, as optional
    placeholders."""
    text = source.text.source
    close = "}" if syntax == "braces" else ">"
    closed = _CLOSED[syntax].match(text, span.end)
    if closed is not None:
        span = Span(span.start, closed.end())
    samples = initial_state(places[0][0], samples=True)
    rehearsed = found.key == "rehearsal"
    rank = 0
    for key, setters in snapshot.state_keys(places[0][0]).setters.items():
        if syntax == "angles" and key[:1].isdigit():
            continue
        verdicts = {_verdict(snapshot, tree, place, key) for tree, place in places}
        certain, possible = verdicts == {"set"}, not verdicts & {"unset", "elsewhere"}
        if not (possible or rehearsed) or re.fullmatch(r"(?:(?:app|user|temp):)?\w+", key, re.ASCII) is None:
            continue
        mark = "" if certain or rehearsed else "?"
        detail = compact(samples[key])[:60] if key in samples else ""
        rank += 1
        label = f"{key}{mark}"
        yield Item(label, "state", label + close, span, _set_by(setters), "", detail, f"{0 if certain else 1}{rank:04}")
    if rehearsed:
        yield Item("input", "state", "input" + close, span, "What the user said last.", sort="2")
        yield Item("result", "state", "result" + close, span, "What the last tool gave.", sort="3")


def _verdict(snapshot: Snapshot, tree: Tree, place: Place, key: str) -> str:
    if key not in snapshot.state_keys(tree).setters:
        return "unset"
    return snapshot.flow(tree).ask(place, key).verdict


def _set_by(setters: tuple[Setter, ...]) -> str:
    """Who sets a key, in a sentence for each way."""
    words = {"state": "Declared by", "output_key": "Set by the answer of", "tool": "Set by a tool of"}
    lines = ["Set for the workspace."] if any(setter.kind == "config" for setter in setters) else []
    for kind, said in words.items():
        agents = list(dict.fromkeys(f"`{setter.agent}`" for setter in setters if setter.kind == kind))
        if agents:
            lines.append(f"{said} {', '.join(agents[:5])}{' …' if len(agents) > 5 else ''}.")
    return " ".join(lines)


def _transfer(found: Found, before: str, offset: int) -> tuple[Span, str] | None:
    """The word that names a target at the cursor, and the quote that opens it; None where the text names none."""
    call = _CALL.search(before)
    if call is not None:
        return Span(offset - len(call["word"]), offset), call["quote"]
    quoted = _QUOTED.search(before)
    if quoted is None:
        return None
    said = _before(found, offset - len(quoted[0]), before[: -len(quoted[0])])
    marked = f"{said}{quoted['quote']}{_MARK}{quoted['quote']}"
    if any(mention.name == _MARK for mention in mentions(marked)):
        return Span(offset - len(quoted["word"]), offset), quoted["quote"]
    return None


def _before(found: Found, offset: int, line: str) -> str:
    """The text up to an offset: of a text that could be read all of it, else what stands on the line."""
    if not isinstance(found.node, Scalar) or found.node.broken:
        return line
    at = found.node.text.decoded(offset)
    return found.node.text.text[max(at - _WIDEST, 0) : at] if at is not None else line


def _targets(snapshot: Snapshot, source: Source, found: Found, span: Span, quote: str) -> Iterator[Item]:
    """The agents that this one can hand over to, wherever it stands."""
    places = tuple(places_of(snapshot, found.agent))[:_MOST_PLACES]
    names = [{target.agent.name: target for target in tree.transfer_targets(place)} for tree, place in places]
    text = source.text.source
    rest = _REST.match(text, span.end)
    end = rest.end() if rest is not None else span.end
    closed = text.startswith(quote, end)
    span = Span(span.start, end if closed else span.end)
    for rank, (name, target) in enumerate(names[0].items() if names else ()):
        if all(name in others for others in names):
            about = target.agent.description
            text = name if closed else name + quote
            yield Item(name, "agent", text, span, about, sort=f"{rank:04}", id=f"agent:{name}")
