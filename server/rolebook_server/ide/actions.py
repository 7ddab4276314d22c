"""Code actions: fixes of problems, comments that silence them, rules explained, and refactorings.

`actions` lists what could be done at a selection, each with an `id`; `resolve` makes the changes of one of them. Both
are pure: what was listed for a text can be made for the same text only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from itertools import pairwise

from rolebook.problem import Fix, Problem
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.discover import is_definition
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.rules import all_rules, check_file
from rolebook.text import Span, Text
from rolebook_server.ide.changes import Change, Changes, Refusal, fitted, in_file, text_of
from rolebook_server.ide.locate import locate
from rolebook_server.ide.refactorings import ignoring, inline_agents, markdown, placeholders, texts
from rolebook_server.ide.refactorings.offer import ActionKind, Offer, Where

__all__ = ["Action", "ActionKind", "actions", "resolve"]

FIX_ALL: ActionKind = "source.fixAll.rolebook"
_MOST_COMPARED = 4_000
"""Lines of a file whose fixed text is compared line by line; a longer one is replaced as a whole where it changes."""


class Action(Record):
    """One thing to do at `span`. `problem` is what it mends, and `preferred` says that this is surely meant.

    One with `explains` changes nothing: the client shows the page of that rule.
    """

    id: str
    title: str
    kind: ActionKind
    span: Span
    preferred: bool = False
    problem: Problem | None = None
    explains: str = ""


def actions(
    snapshot: Snapshot, path: str, span: Span, problems: Iterable[Problem] | None = None, kinds: Iterable[str] = ()
) -> tuple[Action, ...]:
    """What could be done at `span` of the file at `path`, the likeliest first.

    `problems` are those of the file, if the caller has them. With `kinds` only actions of these kinds, or below them
    (`refactor` means all refactorings), are listed; `source` ones only if they are asked for.
    """
    wanted = tuple(kinds)
    if wanted and not any(_is_wanted(kind, wanted) for kind in ("quickfix", FIX_ALL)):
        problems = ()
    offered = _offers(snapshot, path, span, problems)
    return tuple(
        Action(each.name, each.title, each.kind, span, each.preferred, each.problem, each.explains)
        for each in offered
        if _is_wanted(each.kind, wanted)
    )


def resolve(
    snapshot: Snapshot, path: str, span: Span, id: str, problems: Iterable[Problem] | None = None
) -> Changes | Refusal:
    """The changes of the action with this `id`, as `actions` listed it for the same texts."""
    for offer in _offers(snapshot, path, span, problems):
        if offer.name == id:
            return offer.make()
    return Refusal("the text has changed since")


def _is_wanted(kind: str, wanted: tuple[str, ...]) -> bool:
    if not wanted:
        return not kind.startswith("source")
    return any(each == "" or kind == each or kind.startswith(f"{each}.") for each in wanted)


def _offers(snapshot: Snapshot, path: str, span: Span, known: Iterable[Problem] | None) -> Iterator[Offer]:
    is_config = os.path.basename(path) in CONFIG_NAMES
    source = snapshot.source(path) if not is_config and is_definition(snapshot, path) else None
    if source is None and not is_config:
        return
    length = len(text_of(snapshot, path))
    span = Span(min(max(span.start, 0), length), min(max(span.end, span.start, 0), length))
    problems = check_file(snapshot, path) if known is None else tuple(known)
    here = tuple(each for each in problems if each.span.start <= span.end and span.start <= each.span.end)
    titles: set[str] = set()
    for offer in _all(snapshot, path, span, problems, here, source is not None):
        if offer.title not in titles:
            titles.add(offer.title)
            yield offer


def _all(
    snapshot: Snapshot,
    path: str,
    span: Span,
    problems: tuple[Problem, ...],
    here: tuple[Problem, ...],
    is_source: bool,
) -> Iterator[Offer]:
    for problem in here:
        yield from _fixes(snapshot, path, problem)
    source = snapshot.source(path) if is_source else None
    if source is not None:
        where = Where(snapshot, source, span, locate(source, span.start))
        for module in (placeholders, inline_agents, texts, markdown):
            yield from module.offers(where)
        yield from ignoring.offers(where, here)
    for rule in dict.fromkeys(problem.rule for problem in here):
        if rule in all_rules():
            yield Offer(f"explain:{rule}", f"Explain `{rule}`", "quickfix", Changes, explains=rule)
    if source is not None and any(fix.safe for problem in problems for fix in problem.fixes):
        yield Offer("fix-all", "Fix all that is safe to fix in this file", FIX_ALL, lambda: fix_all(snapshot, path))


def _fixes(snapshot: Snapshot, path: str, problem: Problem) -> Iterator[Offer]:
    """The fixes of one problem; the first safe one is preferred."""
    first = next((fix for fix in problem.fixes if fix.safe), None)
    for fix in problem.fixes:
        name = f"fix:{problem.rule}:{problem.span.start}:{fix.title}"
        yield Offer(name, fix.title, "quickfix", _applying(snapshot, path, fix), fix is first, problem)


def _applying(snapshot: Snapshot, path: str, fix: Fix) -> Callable[[], Changes]:
    edits = fitted(text_of(snapshot, path), fix.edits)
    return lambda: in_file(path, edits)


def fix_all(snapshot: Snapshot, path: str) -> Changes | Refusal:
    """All safe fixes of the file at `path`, to a fixed point, as few edits as lines allow."""
    from rolebook.rules.fixing import fix_files

    fixed = fix_files(snapshot, [path], lambda problem: problem.path == path)
    new = fixed.texts.get(path)
    if new is None:
        return Refusal("nothing here can be fixed with certainty")
    return Changes({path: tuple(difference(text_of(snapshot, path), new))})


def difference(old: str, new: str) -> Iterator[Change]:
    """The edits of whole lines that make one text out of the other."""
    before, after = _lines(old), _lines(new)
    if max(len(before), len(after)) > _MOST_COMPARED:
        yield Change(Span(0, len(old)), new)
        return
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    for tag, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Change(Span(starts[start], starts[end]), "".join(after[first:last]))


def _lines(text: str) -> list[str]:
    starts = [*Text(text).line_starts, len(text)]
    return [text[start:end] for start, end in pairwise(starts)]
