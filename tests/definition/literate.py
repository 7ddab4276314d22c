"""Cases in tests/cases/definition: YAML in Markdown, with the findings of validation drawn below the lines they are on.

    modl: x
    ^^^^ unknown-key: `modl` is no key of an LlmAgent; did you mean `model`?
    => model: x

`^^^^ warning RULE: …` has another severity than the rule's own, and `=>` shows the line as the quick fix leaves it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from rolebook.definition.finding import Finding
from rolebook.project.source import read_source
from rolebook.text import Text, apply

FOLDER = Path(__file__).parents[1] / "cases" / "definition"
_BLOCK = re.compile(r"^## (?P<title>[^\n]+)$|^```yaml\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r" *\^+ .*|=> .*")


class Case(NamedTuple):
    """A definition as it is drawn, with its marks."""

    name: str
    drawn: str

    @property
    def source(self) -> str:
        return "".join(line for line in self.drawn.splitlines(keepends=True) if not _MARK.fullmatch(line.rstrip("\n")))


def cases() -> list[Case]:
    """All cases, named by file and heading."""
    found = []
    for file in sorted(FOLDER.glob("*.md")):
        title = ""
        for block in _BLOCK.finditer(file.read_text(encoding="utf-8")):
            title = block["title"] or title
            if block["body"] is not None:
                found.append(Case(f"{file.stem}: {title}", block["body"]))
    return found


def draw(source: str) -> str:
    """The definition with what validation finds in it. Equal to `Case.drawn` where the case holds."""
    text = Text(source)
    below: dict[int, list[str]] = {}
    findings = sorted(read_source("/agents/root_agent.yaml", source).findings, key=lambda each: (each.span, each.rule))
    for finding in findings:
        below.setdefault(text.line_of(finding.span.start), []).extend(_marks(text, finding))
    lines = source.splitlines()
    return "".join(f"{line}\n" for number, line in enumerate(lines) for line in (line, *below.get(number, ())))


def _marks(text: Text, finding: Finding) -> list[str]:
    start, end = text.position(finding.span.start), text.position(finding.span.end)
    assert start.line == end.line and start.character < end.character, finding
    severity = f"{finding.severity.label} " if finding.severity is not None else ""
    carets = " " * start.character + "^" * (end.character - start.character)
    fixed = [apply(text.source, fix.edits).splitlines()[start.line] for fix in finding.fixes]
    return [f"{carets} {severity}{finding.rule}: {finding.message}", *(f"=> {line}" for line in fixed)]
