"""Cases in Markdown: definitions with their problems drawn below the lines they are on.

    modl: x
    ^^^^ unknown-key: `modl` is no key of an LlmAgent; did you mean `model`?
    => model: x

`^^^^ warning RULE: …` has another severity than the rule's own; `->` names a related place; `=>` shows the line as a
safe fix leaves it, `?>` as one leaves it that needs a look. A span that goes on below its line ends in `…`.

A case is a heading of the second level with the blocks below it. A block is one file: ```` ```yaml ```` is
`root_agent.yaml`, any other names itself (```` ```yaml file=sub/kid.yaml ````). A ```` ```bytes ```` block holds a file
that is no text: each `\\xNN` in it is a byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from build import ROOT

from rolebook.problem import Fix, Problem
from rolebook.project.files import Content, MemoryFiles, decode
from rolebook.project.snapshot import Snapshot
from rolebook.record import Record
from rolebook.text import Span, Text, apply

CASES = Path(__file__).parent / "cases"
_BLOCK = re.compile(
    r"^## (?P<title>[^\n]+)$|^```(?P<language>\w+)(?: file=(?P<file>\S+))?\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_BYTE = re.compile(rb"\\x([0-9a-f]{2})")
_MARK = re.compile(r" *\^+…? .*|[=?-]> .*")
MAIN = "root_agent.yaml"


class Case(NamedTuple):
    """Files by their names as they are drawn, with their marks."""

    name: str
    drawn: dict[str, str]
    raw: set[str]

    @property
    def bytes(self) -> dict[str, bytes]:
        """The files that are given as bytes."""
        written = {name: self.files[name].rstrip("\n").encode() for name in self.raw}
        return {name: _BYTE.sub(lambda byte: bytes.fromhex(byte[1].decode()), text) for name, text in written.items()}

    @property
    def files(self) -> dict[str, str]:
        return {name: _without_marks(text) for name, text in self.drawn.items()}

    @property
    def rules(self) -> set[str]:
        """The rules whose problems are drawn."""
        marks = re.findall(r"^ *\^+…? (?:(?:error|warning|info|hint) )?([a-z-]+): ", "".join(self.drawn.values()), re.M)
        return set(marks)


class Mark(NamedTuple):
    """A problem, and the severity that its rule usually has."""

    problem: Problem
    usual: bool


def cases(folder: str) -> list[Case]:
    """All cases in a folder of tests/cases, named by file and heading."""
    found: list[Case] = []
    for path in sorted((CASES / folder).glob("*.md")):
        title = ""
        for block in _BLOCK.finditer(path.read_text(encoding="utf-8")):
            if block["title"] is not None:
                title = block["title"]
                continue
            name, file = f"{path.stem}: {title}", block["file"] or MAIN
            if not found or found[-1].name != name or file in found[-1].drawn:
                found.append(Case(name, {}, set()))
            found[-1].drawn[file] = block["body"]
            if block["language"] == "bytes":
                found[-1].raw.add(file)
    return found


class Bytes(Record):
    """Files by their paths as they lie on disk."""

    data: Mapping[str, bytes]

    def read(self, path: str) -> Content:
        return decode(self.data[path]) if path in self.data else None

    def names(self, folder: str) -> tuple[str, ...]:
        return tuple(sorted(Path(path).name for path in self.data if str(Path(path).parent) == folder))


def workspace_of(case: Case) -> Snapshot:
    """The case's files in memory."""
    texts = {f"{ROOT}/{name}": text for name, text in case.files.items() if name not in case.raw}
    return Snapshot(MemoryFiles(texts, Bytes({f"{ROOT}/{name}": data for name, data in case.bytes.items()})), ROOT)


def redraw(folder: str, draw: Callable[[Case], dict[str, str]]) -> None:
    """Writes what is found now into the cases of a folder, to be read as a diff."""
    for path in (CASES / folder).glob("*.md"):
        found = [case for case in cases(folder) if case.name.startswith(f"{path.stem}: ")]
        bodies = iter([body for case in found for body in draw(case).values()])

        def with_body(block: re.Match[str], bodies: Iterator[str] = bodies) -> str:
            if block["title"] is not None:
                return block[0]
            return f"{block[0][: block.start('body') - block.start()]}{next(bodies)}```"

        path.write_text(_BLOCK.sub(with_body, path.read_text(encoding="utf-8")), encoding="utf-8")


def draw(source: str, marks: Iterable[Mark], texts: Callable[[str], str] | None = None) -> str:
    """A file with problems drawn into it. `texts` gives the other files, which related places are in."""
    text = Text(source)
    below: dict[int, list[str]] = {}
    for mark in sorted(marks, key=lambda each: (each.problem.span, each.problem.rule, each.problem.message)):
        below.setdefault(text.line_of(mark.problem.span.start), []).extend(_lines(text, mark, texts))
    lines = source.split("\n")[: -1 if source.endswith("\n") else None]
    return "".join(f"{line}\n" for number, line in enumerate(lines) for line in (line, *below.get(number, ())))


def _without_marks(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not _MARK.fullmatch(line.rstrip("\n")))


def _lines(text: Text, mark: Mark, texts: Callable[[str], str] | None) -> list[str]:
    problem = mark.problem
    start, end = text.position(problem.span.start), text.position(problem.span.end)
    goes_on = end.line > start.line
    stop = text.line_span(start.line).end - text.line_starts[start.line] if goes_on else end.character
    carets = " " * start.character + "^" * max(stop - start.character, 1) + "…" * goes_on
    severity = "" if mark.usual else f"{problem.severity.label} "
    related = [
        f"-> {_place(other.path, other.span, text, problem.path, texts)}: {other.message}" for other in problem.related
    ]
    fixes = [f"{'=' if fix.safe else '?'}> {_fixed(text, start.line, fix)}" for fix in problem.fixes]
    return [f"{carets} {severity}{problem.rule}: {problem.message}", *related, *fixes]


def _place(path: str, span: Span, text: Text, own: str, texts: Callable[[str], str] | None) -> str:
    within = text if path == own or texts is None else Text(texts(path))
    return f"{Path(path).name}:{within.line_of(span.start) + 1}"


def _fixed(text: Text, line: int, fix: Fix) -> str:
    """The problem's line after the fix; where another line changes, that one with its number."""
    before, after = text.source.split("\n"), apply(text.source, fix.edits).split("\n")
    changed = [number for number in range(len(after)) if number >= len(before) or before[number] != after[number]]
    if line in changed or not changed:
        return after[line]
    return f"{changed[0] + 1}: {after[changed[0]]}"
