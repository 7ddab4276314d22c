"""Lines of a list, a table or a code block that YAML joins into one, below a `>` or in a text without a `|`.

## Why
A `>` folds: lines that follow each other become one, with a blank between. A list of rules then reaches the model as a
single long line. `|` keeps lines as they are.

## Example
```yaml
name: helper
instruction: >
  Follow these rules:
  - Be brief.
  - Name your sources.
```

## Instead
```yaml
name: helper
instruction: |
  Follow these rules:
  - Be brief.
  - Name your sources.
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written_texts import text_entries
from rolebook.syntax.yaml import Scalar
from rolebook.text import Edit, Span

_LINE = re.compile(r"([ \t]*)([^\r\n]*)(?:\r\n|\n|\r|$)")
_OWN_LINE = re.compile(r"(?:[-*+•] |\d{1,3}[.)] |#{1,6} |```|~~~|\|.*\|$)")
"""What begins a line of its own in Markdown: an item, a heading, a fence, a row of a table."""


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    source = subject.source.text.source
    for entry in text_entries(subject):
        value = entry.value
        if not isinstance(value, Scalar) or value.broken or value.style == "literal":
            continue
        if (joined := _joined(source, value)) is not None:
            folded = value.style == "folded"
            start = value.span.start
            fixes = (Fix("Write `|`", (Edit(Span(start, start + 1), "|"),), safe=False),) if folded else ()
            why = "`>` joins this line to the one above; `|` keeps lines" if folded else "YAML joins this line to the "
            message = why if folded else f"{why}one above; write the text below `|`"
            yield rule.problem(subject, joined, message, fixes=fixes)


def _joined(source: str, value: Scalar) -> Span | None:
    """The first line that is joined to the one above it although it begins as a line of its own.

    A single dash or number may stand there by chance, where prose was wrapped; not so below a colon.
    """
    found = [
        (span, above) for above, span in _pairs_of_lines(source, value) if _OWN_LINE.match(source, span.start, span.end)
    ]
    for span, above in found:
        if len(found) > 1 or above.endswith(":") or source[span.start] in "#`~|":
            return span
    return None


def _pairs_of_lines(source: str, value: Scalar) -> Iterator[tuple[str, Span]]:
    """Each line of the text that is joined to the one above, with what stands there."""
    folded = value.style == "folded"
    at, end = value.span
    first, above = True, ""
    indent: int | None = None
    while at < end:
        line = _LINE.match(source, at, end)
        if line is None:
            return
        blanks, text = len(line[1]), line[2].rstrip()
        if not (first and folded):  # the first line of a folded text is its header
            indent = blanks if indent is None and text else indent
            more = folded and indent is not None and blanks > indent  # lines that are indented more are kept
            if text and above and not more and not first:
                yield above, Span(at + blanks, at + blanks + len(text))
            above = text if not more else ""
        first = False
        at = line.end() if line.end() > at else end


rule = Rule("joined-lines", Severity.INFO, check)
