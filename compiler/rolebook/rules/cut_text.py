"""A text of which YAML drops a part: what follows on a blank and a `#`, or a word at its start with `&` or `!`.

A comment at the end of a complete text is fine. A text counts as cut where it stops in the midst of a sentence, leaves
a bracket or a backtick open, or goes on with a number or a name right behind the `#`.

## Why
YAML takes ` #` for the start of a comment, `&word` for an anchor and `!` for a tag, and says nothing. The model never
sees the rest of the sentence.

## Example
```yaml
name: clerk
instruction: Answer questions about ticket #42 and close it.
```

## Instead
```yaml
name: clerk
instruction: "Answer questions about ticket #42 and close it."
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written_texts import after_key, text_entries
from rolebook.syntax.yaml import Entry, Scalar
from rolebook.syntax.yaml.quote import quoted
from rolebook.text import Edit, Span

_COMMENT = re.compile(r"([ \t]+)#([^\r\n]*)")
_DIRECTIVE = re.compile(
    r"[ \t]*(?:rolebook|noqa|nosec|type|pragma|fmt|pylint|yaml-language-server|prettier|TODO|FIXME|XXX|NOTE)\b"
)
_COMPLETE = re.compile(r"[.!?…。！？][\"')\]»”’*_`]*$")
_OPEN_END = re.compile(r"(?:[(\[{,«“&]|\s[–—-]|\b(?:a|an|the|and|or|of|than|into))$", re.IGNORECASE)
_MAYBE_OPEN = re.compile(
    r"\b(?:to|in|on|by|with|as|at|for|from|like|per|via|use|uses|using|is|are|be|not|no|number|issue|ticket|order|bug|pr|"
    r"channel|tag|hashtag|heading|sign|symbol|hash|character|starting|start|starts|begin|begins|beginning)$",
    re.IGNORECASE,
)
"""Words that a sentence may end in, but rarely does."""
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    source = subject.source.text.source
    for entry in text_entries(subject):
        value = entry.value
        if isinstance(value, Scalar) and not value.broken and isinstance(value.value, str):
            if value.style == "plain" and value.span.start < value.span.end:
                yield from _by_comment(rule, subject, source, value)
            yield from _at_start(rule, subject, source, entry, value)


def _by_comment(rule: Rule, subject: Subject, source: str, value: Scalar) -> Iterator[Problem]:
    comment = _COMMENT.match(source, value.span.end)
    if comment is None:
        return
    text, gap, said = value.text.text, comment[1], comment[2]
    certain = _is_open(text, said) or (_may_be_open(text, gap, said) and not said[:1].isspace())
    if not certain and not _may_be_open(text, gap, said) and not _goes_on(text, gap, said):
        return
    written = source[value.span.start : comment.end()].rstrip()
    end = value.span.start + len(written)
    span = Span(comment.start() + len(comment[1]), end)
    one_line = "\n" not in written and "\r" not in written
    fixes = (Fix("Quote the whole text", (Edit(Span(value.span.start, end), quoted(written)),), certain),)
    message = "a `#` after a blank starts a comment, so the text ends before it: quote the text"
    yield rule.problem(subject, span, message, fixes=fixes if one_line else ())


def _is_open(text: str, comment: str) -> bool:
    """Whether the text can't end where it does. What tools read goes on with a text only where a bracket is open."""
    if text.count("`") % 2 and comment.count("`") % 2:
        return True
    if any(text.count(opening) > text.count(closing) and closing in comment for opening, closing in _PAIRS):
        return True
    return _DIRECTIVE.match(comment) is None and _OPEN_END.search(text, max(len(text) - 20, 0)) is not None


def _may_be_open(text: str, gap: str, comment: str) -> bool:
    """Whether a text stops at a word that sentences rarely end in, and what follows is no remark."""
    if gap != " " or _DIRECTIVE.match(comment) or _MAYBE_OPEN.search(text, max(len(text) - 20, 0)) is None:
        return False
    return not comment[:1].isspace() or comment.rstrip().endswith((".", "!", "?"))


def _goes_on(text: str, gap: str, comment: str) -> bool:
    """Whether a text that could end here is likelier to go on: with `#42`, or `#name` and a sentence's end."""
    if gap != " " or _COMPLETE.search(text, max(len(text) - 8, 0)) or _DIRECTIVE.match(comment):
        return False
    return comment[:1].isdigit() or (comment[:1].isalpha() and comment.rstrip().endswith((".", "!", "?")))


def _at_start(rule: Rule, subject: Subject, source: str, entry: Entry, value: Scalar) -> Iterator[Problem]:
    """An anchor that no alias uses, or the tag `!`, in front of a plain text on the key's line."""
    rest = after_key(source, entry)
    before = source[rest.start : value.span.start].rstrip()
    if value.style != "plain" or not rest.start < value.span.start < value.span.end <= rest.end:
        return
    if before == "!":
        what = "a tag"
    elif before.startswith("&") and f"*{before[1:]}" not in source and " " not in before:
        what = "an anchor"
    else:
        return
    span = Span(rest.start, rest.start + len(before))
    written = source[rest.start : value.span.end]
    fixes = (Fix("Quote the whole text", (Edit(Span(rest.start, value.span.end), quoted(written)),), safe=False),)
    message = f"YAML takes `{before}` for {what} and leaves it out of the text: quote the text"
    yield rule.problem(subject, span, message, fixes=fixes)


rule = Rule("cut-text", Severity.WARNING, check)
