"""Applies the safe fixes of problems, round after round, until none is left.

A round takes the first safe fix of each problem. Of two that touch, the one of the earlier problem wins, and the next
round sees what is left of the other. A fix is dropped where a file of the same trees would get an error, or a syntax
fault, that it hadn't before; so nothing gets worse. Only texts are made here; writing them is up to the caller.
"""

from __future__ import annotations

import os
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from rolebook.problem import Fix, Problem, Severity
from rolebook.project.config import CONFIG_NAMES
from rolebook.project.discover import reachable
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.rules import check_file, errors_below
from rolebook.text import Edit, Span, apply

MOST_ROUNDS = 30
"""Rounds after which no further one is made. Fixes that touch halve in number with each."""


class Fixed(Record):
    """The snapshot after all fixes; `texts` are the files that changed, `counts` how many fixes each of them took."""

    snapshot: Snapshot
    texts: Mapping[str, str]
    counts: Mapping[str, int]


class _Candidate(Record):
    """A fix, and the file that it changes."""

    path: str
    edits: tuple[Edit, ...]


def fix_files(
    snapshot: Snapshot, paths: Iterable[str], wanted: Callable[[Problem], bool] = lambda problem: bool(problem)
) -> Fixed:
    """Applies the safe fixes of the `wanted` problems in these files, and in those that they name, to a fixed point.

    Where fixes undo each other in a file, it stays as it was before they began.
    """
    start, everything = snapshot, tuple(dict.fromkeys(paths))
    active: Sequence[str] = everything
    counts: Counter[str] = Counter()
    history: dict[str, dict[str, int]] = {}
    settled: set[str] = set()
    for _ in range(MOST_ROUNDS):
        found = [each for path in active if path not in settled for each in _candidates(snapshot, path, wanted)]
        after, taken = _accepted(snapshot, found, everything)
        if not taken:
            break
        changed = Counter(candidate.path for candidate in taken)
        for path, count in changed.items():
            seen = history.setdefault(path, {_text(snapshot, path): 0})
            counts[path] += count
            if (text := _text(after, path)) in seen:
                counts[path] = seen[text]
                settled.add(path)
            seen[text] = counts[path]
        near = _near((snapshot, after), changed, everything)
        everything = tuple(reachable(after, list(everything)))
        active = [path for path in everything if path in near]
        snapshot = after
    texts = {path: text for path in history if (text := _text(snapshot, path)) != start.read(path)}
    return Fixed(snapshot, texts, {path: counts[path] for path in texts})


def _candidates(snapshot: Snapshot, path: str, wanted: Callable[[Problem], bool]) -> list[_Candidate]:
    """The fixes of one file for one round, none touching another."""
    text = _text(snapshot, path)
    taken: list[Span] = []
    found = []
    for problem in check_file(snapshot, path):
        fix = next((fix for fix in problem.fixes if fix.safe), None)
        if fix is None or not wanted(problem) or not _fits(fix, len(text)):
            continue
        if not any(_touches(span, taken) for span, _ in fix.edits):
            for span, _ in fix.edits:
                insort(taken, span)
            found.append(_Candidate(path, tuple(_as_in(text, edit) for edit in fix.edits)))
    return found


def _fits(fix: Fix, length: int) -> bool:
    """Whether a fix changes something inside of the text, its own edits in order and apart."""
    spans = sorted(span for span, _ in fix.edits)
    ends = [0, *(span.end for span in spans)]
    return bool(spans) and ends[-1] <= length and all(
        done <= span.start <= span.end for done, span in zip(ends, spans, strict=False)
    )  # fmt: skip


def _touches(span: Span, taken: list[Span]) -> bool:
    """Whether a span overlaps one of the `taken`, which are sorted and lie apart, or stands right beside it."""
    at = bisect_left(taken, span)
    return any(other.start <= span.end and span.start <= other.end for other in taken[max(at - 1, 0) : at + 1])


def _as_in(text: str, edit: Edit) -> Edit:
    """The edit with line ends as the text has them."""
    if "\n" in edit.text and "\r\n" in text and "\r" not in edit.text:
        return Edit(edit.span, edit.text.replace("\n", "\r\n"))
    return edit


def _accepted(
    base: Snapshot, candidates: Sequence[_Candidate], everything: Sequence[str]
) -> tuple[Snapshot, list[_Candidate]]:
    """The snapshot after those candidates that break nothing, and which these are.

    They are tried together, and by halves where that gives new errors: a few bad ones cost few trials.
    """
    accepted: list[_Candidate] = []
    snapshot = base
    pending = [list(candidates)] if candidates else []
    while pending:
        group = pending.pop()
        after = _applied(base, snapshot, [*accepted, *group], {candidate.path for candidate in group})
        if not _breaks(snapshot, after, {candidate.path for candidate in group}, everything):
            accepted += group
            snapshot = after
        elif len(group) > 1:
            half = len(group) // 2
            pending += [group[half:], group[:half]]
    return snapshot, accepted


def _applied(base: Snapshot, snapshot: Snapshot, candidates: Iterable[_Candidate], paths: set[str]) -> Snapshot:
    """`snapshot` with the texts of `paths` as the candidates, whose spans are counted in `base`, make them."""
    edits: dict[str, list[Edit]] = {path: [] for path in paths}
    for candidate in candidates:
        if candidate.path in edits:
            edits[candidate.path] += candidate.edits
    return snapshot.with_texts({path: apply(_text(base, path), of) for path, of in edits.items()})


def _breaks(before: Snapshot, after: Snapshot, changed: set[str], everything: Sequence[str]) -> bool:
    """Whether a file has an error after the change that it hadn't before."""
    return any(_errors(after, path) - _errors(before, path) for path in _near((before, after), changed, everything))


def _errors(snapshot: Snapshot, path: str) -> Counter[tuple[str, str]]:
    """The errors in a file itself. Its syntax faults are among them even where settings or comments silence them."""
    problems = [problem for problem in check_file(snapshot, path) if problem.rule != errors_below.rule.name]
    errors = {(p.rule, p.span, p.message) for p in problems if p.severity == Severity.ERROR}
    source = snapshot.source(path) if os.path.basename(path) not in CONFIG_NAMES else None
    faults = source.document.faults if source is not None else ()
    errors |= {("syntax-error", fault.span, fault.message) for fault in faults}
    return Counter((rule, message) for rule, _, message in errors)


def _near(snapshots: Iterable[Snapshot], changed: Iterable[str], everything: Sequence[str]) -> set[str]:
    """The files in which a change of some can make a difference: those of the trees that they take part in."""
    paths = set(changed)
    if any(os.path.basename(path) in CONFIG_NAMES for path in paths):
        return paths.union(everything)
    near = set(paths)
    for snapshot in snapshots:
        trees = {tree.root.agent.path: tree for path in paths for tree in snapshot.trees_with(path)}
        near.update(place.agent.path for tree in trees.values() for place in tree)
    return near


def _text(snapshot: Snapshot, path: str) -> str:
    content = snapshot.read(path)
    return content if isinstance(content, str) else ""
