"""A comment that silences one problem: on its line, above the key of a text, or in a Markdown file's front matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rolebook.problem import Problem
from rolebook.rules import NEVER_SILENT, check_file
from rolebook.rules.ignore import body_of, ignores, lines_of
from rolebook.syntax.yaml.nodes import value_of
from rolebook.text import Edit, Span
from rolebook_server.ide.changes import Changes, Refusal, applied, fitted, in_file
from rolebook_server.ide.refactorings.offer import Offer, Where

_NOT_THESE = frozenset({*NEVER_SILENT, "unused-ignore", "unreadable-file"})


def offers(where: Where, problems: tuple[Problem, ...]) -> Iterator[Offer]:
    for problem in {problem.rule: problem for problem in reversed(problems)}.values():
        if problem.rule not in _NOT_THESE and problem.path == where.path:
            title = f"Ignore `{problem.rule}` here"
            name = f"ignore:{problem.rule}"
            yield Offer(name, title, "quickfix", lambda problem=problem: ignore(where, problem), problem=problem)  # type: ignore[misc]


def ignore(where: Where, problem: Problem) -> Changes | Refusal:
    """The first place for the comment at which it silences the problem and the file says the same as before."""
    text = where.source.text.source
    for edit in _ways(where, problem):
        changes = in_file(where.path, fitted(text, [edit]))
        if _works(where, problem, changes):
            return changes
    return Refusal("no comment can stand near this place; `[rules]` in `rolebook.toml` turns the rule off")


def _ways(where: Where, problem: Problem) -> Iterator[Edit]:
    source, text = where.source, where.source.text
    body = body_of(source)
    lines = tuple(lines_of(problem, source, body))
    for known in ignores(source):
        if set(known.lines) & set(lines):
            yield Edit(Span(known.span.end, known.span.end), f", {problem.rule}")
    comment = f"# rolebook: ignore[{problem.rule}]"
    if body is not None and problem.span.start >= body:
        yield Edit(Span(body, body), f"{comment}\n")
        return
    key_line = lines[-1]
    if key_line == lines[0]:
        at = text.line_span(key_line).end
        yield Edit(Span(at, at), f"  {comment}")
    start = text.line_starts[key_line]
    line = text[text.line_span(key_line)]
    blanks = " " * (len(line) - len(line.lstrip(" ")))
    yield Edit(Span(start, start), f"{blanks}{comment}\n")


def _works(where: Where, problem: Problem, changes: Changes) -> bool:
    after = applied(where.snapshot, changes)
    source = after.source(where.path)
    if source is None or repr(value_of(source.document.root)) != repr(value_of(where.source.document.root)):
        return False
    old, new = _counted(check_file(where.snapshot, where.path)), _counted(check_file(after, where.path))
    key = (problem.rule, problem.message)
    return new[key] < old[key] and not new - old


def _counted(problems: tuple[Problem, ...]) -> Counter[tuple[str, str]]:
    return Counter((problem.rule, problem.message) for problem in problems)
