"""The file is no YAML here.

The entry that holds the mistake is lost; everything else in the file stays known. The usual causes are a text with a
colon and a blank in it (`: `), a quote that is never closed, a text that starts with `{`, and a tab in the indentation.

## Why
Every runtime loads definitions with PyYAML, which refuses the whole file.

## Example
```yaml
name: helper
instruction: Note: answer briefly.
```

## Instead
```yaml
name: helper
instruction: "Note: answer briefly."
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written_texts import after_key, text_entries
from rolebook.syntax.yaml import Entry, Fault
from rolebook.syntax.yaml.quote import quoted
from rolebook.text import Edit, Span

_COMMENT = re.compile(r"[ \t]#")


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    faults = subject.source.document.faults
    entries = list(text_entries(subject)) if faults else []
    for fault in faults:
        entry = next((entry for entry in entries if entry.span.holds(fault.span.start)), None)
        if entry is not None:
            entries.remove(entry)  # one fix is enough for a text with several faults
        fixes = _quoting(subject.source.text.source, entry, fault) if entry is not None else ()
        yield rule.problem(subject, fault.span, fault.message, fixes=fixes)


def _quoting(source: str, entry: Entry, fault: Fault) -> tuple[Fix, ...]:
    """Quotes around a text on its key's line, a comment left outside."""
    rest = after_key(source, entry)
    comment = _COMMENT.search(source, rest.start, rest.end)
    end = comment.start() if comment is not None else rest.end
    written = source[rest.start : end].rstrip()
    if not written or max(fault.span.end, entry.value.span.end) > rest.end:
        return ()
    if written[0] in "'\"" and fault.span.start == rest.start:
        return ()  # it is never closed, so nothing tells where the text ends
    names_something = written[0] == "!" or (written[0] == "*" and " " not in written and not written.endswith("*"))
    edit = Edit(Span(rest.start, rest.start + len(written)), quoted(written))
    return (Fix("Quote the text", (edit,), safe=not names_something),)


rule = Rule("syntax-error", Severity.ERROR, check)
