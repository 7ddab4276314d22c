"""A definition that can't be read: no permission, or bytes that are no text.

## Why
No runtime can load it. Definitions are UTF-8, or UTF-16 with a byte order mark.

## Example
The file holds the byte `FF` in UTF-8 text, or its permissions keep it from being opened.

## Instead
Save the file as UTF-8, and see to it that you may read it.
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.project.files import Unreadable
from rolebook.rules.rule import Rule, Subject
from rolebook.text import NOWHERE


def check(_rule: Rule, _subject: Subject) -> Iterator[Problem]:
    """Nothing in a file that was read."""
    return iter(())


def report(path: str, content: Unreadable) -> Problem:
    """The problem of a file that wasn't; it has no text, so its place is the beginning."""
    return Problem(rule.name, rule.severity, path, NOWHERE, f"this file can't be read: {content.reason}")


rule = Rule("unreadable-file", Severity.ERROR, check)
