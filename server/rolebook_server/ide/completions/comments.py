"""Rule names in comments that silence a rule: those that find something on the line that the comment is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.project.snapshot import Snapshot
from rolebook.project.source import Source, read_source
from rolebook.rules import all_rules, check_file
from rolebook.rules.ignore import body_of, ignores, lines_of
from rolebook.text import Span
from rolebook_server.ide.completions.item import Item

_IN_LIST = re.compile(r"#[ \t]*rolebook:[ \t]*ignore\[(?P<names>[^\]#]*[,\s])?(?P<word>[\w-]*)$")
_AT_START = re.compile(r"(?:^|[ \t])#[ \t]*(?P<word>[\w:-]*)$")
_MARK = "zz-cursor"


def in_comment(snapshot: Snapshot, source: Source, offset: int) -> Iterator[Item]:
    """The proposals in a comment; none outside of one."""
    text = source.text.source
    start = source.text.line_span(source.text.line_of(offset)).start
    before = text[start:offset]
    if (listed := _IN_LIST.search(before)) is not None:
        rest = re.compile(r"[\w-]*").match(text, offset)
        end = rest.end() if rest is not None else offset
        span = Span(offset - len(listed["word"]), end)
        closing = "" if "]" in text[end : source.text.line_span(source.text.line_of(offset)).end] else "]"
        for name, message in _rules(snapshot, source, span, _MARK + closing):
            yield Item(name, "value", name + closing, span, message)
    elif (begun := _AT_START.search(before)) is not None and "rolebook:".startswith(begun["word"]):
        span = Span(offset - len(begun["word"]), offset)
        if text[offset : source.text.line_span(source.text.line_of(offset)).end].strip():
            return
        for name, message in _rules(snapshot, source, span, f"rolebook: ignore[{_MARK}]"):
            label = f"rolebook: ignore[{name}]"
            yield Item(label, "value", label, span, message)


def _rules(snapshot: Snapshot, source: Source, span: Span, mark: str) -> Iterator[tuple[str, str]]:
    """The rules that a name at `span` would silence, each with what it says there. `mark` makes the line a comment."""
    text = source.text.source
    marked = read_source(source.path, f"{text[: span.start]}{mark}{text[span.end :]}")
    lines = {line for ignore in ignores(marked) if ignore.rule == _MARK for line in ignore.lines}
    if not lines:
        return
    body = body_of(source)
    told: set[str] = set()
    for problem in check_file(snapshot, source.path):
        if problem.rule in told or problem.rule == "unused-ignore" or problem.rule not in all_rules():
            continue
        if lines.intersection(lines_of(problem, source, body)):
            told.add(problem.rule)
            yield problem.rule, problem.message
