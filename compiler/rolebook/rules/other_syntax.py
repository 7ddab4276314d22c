"""A placeholder of the other syntax: `<name>` where braces are in force, `{name}` where angles are.

A lone tag that is no HTML element and has no closing partner in the text was likely meant to be filled. It is only
information where the text has it in code as well, or speaks of tags or of the form of an answer. In braces, the
name has to be that of a state key or to have a scope, as those who choose angles do so for the braces in their texts.

## Why
`template_syntax` says how placeholders are written, for an agent, its tree or the workspace. The other kind is plain
text, which the model reads.

## Example
```yaml
name: support
instruction: You are helping <user_name>.
state:
  user_name: Alice
```

## Instead
```yaml
name: support
instruction: You are helping {user_name}.
state:
  user_name: Alice
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.around import Around, agents_around, code_in
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.markup import ELEMENTS, KEYS, MODEL_TAGS
from rolebook.syntax.template import Placeholder, TemplateSyntax, placeholders
from rolebook.text import Edit, MappedText, Span

_NO_TAG = frozenset("<$\\@#&_?")
"""What stands before a `<` that opens no tag: `Map_<K>` is a type, `<<x>>` a quotation, `(?<x>…)` a named group."""
_CLOSING = re.compile(r"</(\w++)\s*+>")
_SPEAKS_OF_TAGS = re.compile(
    r"\b(?:tags?|xml|html|markup|jsx|elements?|delimiters?|formats?|templates?|syntax|usage|patterns?)\b", re.IGNORECASE
)


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for around in agents_around(subject):
        other: TemplateSyntax = "angles" if around.syntax == "braces" else "braces"
        for text in around.substituted:
            if ("<" if other == "angles" else "{") not in text.text:
                continue
            judge = _Angles(text, around) if other == "angles" else _Braces(text, around)
            for placeholder in placeholders(text.text, other):
                if not placeholder.escaped and (severity := judge.severity(placeholder)) is not None:
                    yield _report(rule, subject, around, text, placeholder, severity)


class _Angles:
    """Tags in a text whose placeholders stand in braces."""

    def __init__(self, text: MappedText, around: Around) -> None:
        self.text, self.known = text.text, around.known
        code = code_in(self.text)
        self.in_code = {
            tag.key for tag in placeholders(self.text, "angles") if not code.is_prose(tag.span) and not tag.escaped
        }
        self.closed = ELEMENTS | KEYS | MODEL_TAGS | {tag.lower() for tag in _CLOSING.findall(self.text)}
        self.of_tags = _SPEAKS_OF_TAGS.search(self.text) is not None

    def severity(self, placeholder: Placeholder) -> Severity | None:
        """How bad the tag is; None for markup, a type's argument and the like."""
        key, (start, end) = placeholder.key, placeholder.span
        before, after = self.text[max(start - 1, 0) : start], self.text[end : end + 1]
        if before in _NO_TAG or (before.isascii() and before.isalnum()) or after == ">":
            return None
        if self.text.endswith("#include ", 0, start):
            return None
        if key in self.known:
            return Severity.INFO if code_in(self.text).is_marked(start) else Severity.WARNING
        if key.lower() in self.closed or len(key) == 1:
            return None
        return Severity.INFO if self.of_tags or key in self.in_code else Severity.WARNING


class _Braces:
    """Braces in a text whose placeholders stand between `<` and `>`."""

    def __init__(self, text: MappedText, around: Around) -> None:
        self.text, self.known = text.text, around.known

    def severity(self, placeholder: Placeholder) -> Severity | None:
        scoped = ":" in placeholder.key and not placeholder.artifact
        code = code_in(self.text)
        if code.looks_like_code(placeholder.span):
            return None
        if placeholder.key in self.known:
            return Severity.INFO if code.is_marked(placeholder.span.start) else Severity.WARNING
        return Severity.WARNING if scoped and not code.is_nested(placeholder.span.start) else None


def _report(
    rule: Rule, subject: Subject, around: Around, text: MappedText, placeholder: Placeholder, severity: Severity
) -> Problem:
    start, end = placeholder.span
    inner = text.text[start + 1 : end - 1]
    right = f"{{{inner}}}" if around.syntax == "braces" else f"<{inner}>"
    span = text.source(start, end)
    safe = severity == Severity.WARNING and around.is_declared(placeholder.key)
    fixes = (Fix(f"Write `{right}`", (Edit(Span(*span), right),), safe),)
    message = f"`{text.text[start:end]}` is plain text here; a placeholder is written `{right}`"
    return rule.problem(subject, span, message, severity, fixes=fixes)


rule = Rule("other-syntax", Severity.WARNING, check, group="Placeholders")
