"""Every feature of the editor at one offset, with what must hold of any answer: no exception, spans within files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from rolebook.project.snapshot import Snapshot
from rolebook.text import Span
from rolebook_server.ide.call_hierarchy import Call, incoming, outgoing, prepare
from rolebook_server.ide.completion import completion
from rolebook_server.ide.definition import declaration, definition
from rolebook_server.ide.folding import folds
from rolebook_server.ide.highlights import highlights
from rolebook_server.ide.hover import hover
from rolebook_server.ide.inlay_hints import inlay_hints
from rolebook_server.ide.lenses import lenses, resolved
from rolebook_server.ide.links import links
from rolebook_server.ide.references import references
from rolebook_server.ide.selection import selection
from rolebook_server.ide.semantic_tokens import semantic_tokens
from rolebook_server.ide.symbols import Symbol, symbols
from rolebook_server.ide.workspace_symbols import workspace_symbols

Place = tuple[str, Span]


def at_offset(snapshot: Snapshot, path: str, offset: int, paths: tuple[str, ...]) -> Iterator[Place]:
    """All places that the features which take an offset answer with."""
    if (card := hover(snapshot, path, offset)) is not None:
        assert card.markdown.strip()
        yield path, card.span
    for find in (definition, declaration):
        for target in find(snapshot, path, offset):
            yield from ((target.path, target.span), (target.path, target.selection), (path, target.origin))
            assert _in(target.selection, target.span)
    yield from ((each.path, each.span) for each in references(snapshot, path, offset, paths))
    marked = [each.span for each in highlights(snapshot, path, offset)]
    assert len(set(marked)) == len(marked)
    yield from ((path, span) for span in marked)
    chain = selection(snapshot, path, offset)
    assert all(_in(inner, outer) and inner != outer for inner, outer in pairwise(chain))
    assert all(span.holds(offset) for span in chain)
    yield from ((path, span) for span in chain)
    yield from ((path, item.span) for item in completion(snapshot, path, offset))
    for item in prepare(snapshot, path, offset):
        yield from ((item.path, item.span), (item.path, item.selection))
    for call in outgoing(snapshot, path, offset):
        yield from _call(call)
    for call in incoming(snapshot, path, offset):
        yield from _call(call)
        yield from ((call.item.path, span) for span in call.spans)


def _call(call: Call) -> Iterator[Place]:
    assert call.spans and call.how
    assert _in(call.item.selection, call.item.span)
    yield call.item.path, call.item.span


def of_file(snapshot: Snapshot, path: str, paths: tuple[str, ...]) -> Iterator[Place]:
    """All places that the features of a whole file answer with."""
    source = snapshot.source(path)
    assert source is not None
    text = source.text
    done = 0
    for token in semantic_tokens(snapshot, path):
        assert done <= token.span.start < token.span.end
        assert not set(text[token.span]) & {"\r", "\n"}
        done = token.span.end
        yield path, token.span
    for fold in folds(source):
        assert text.line_of(fold.span.start) < text.line_of(fold.span.end)
        yield path, fold.span
    for hint in inlay_hints(snapshot, path, Span(0, len(text))):
        assert hint.label and not set(hint.label) & {"\r", "\n"}
        yield path, Span(hint.offset, hint.offset)
    for lens in lenses(snapshot, path):
        assert resolved(snapshot, lens, paths).title
        yield path, lens.span
    for link in links(snapshot, path):
        yield path, link.span
        if link.kind == "file":
            yield link.target, link.at
    yield from ((each.path, each.span) for each in workspace_symbols(snapshot, "", paths))
    for symbol in symbols(source):
        yield from _symbol(path, symbol)


def _symbol(path: str, symbol: Symbol) -> Iterator[Place]:
    assert symbol.name and _in(symbol.selection, symbol.span)
    yield path, symbol.span
    for child in symbol.children:
        assert _in(child.span, symbol.span)
        yield from _symbol(path, child)


def check(snapshot: Snapshot, places: Callable[[], Iterator[Place]]) -> None:
    """Goes through the places; each lies within a file that is there."""
    for path, (start, end) in places():
        text = snapshot.read(path)
        assert isinstance(text, str), path
        assert 0 <= start <= end <= len(text), (path, start, end)


def _in(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
