"""What was likely meant as a placeholder and is none: `{ x }`, `{a.b}`, `{app: x}`, `{{x}}` (spec §7, "Placeholders").

Only the form is judged here. Whether the name is that of a state key, which decides most cases, is for the rule to say.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rolebook.record import Record
from rolebook.syntax.template import TemplateSyntax, placeholders
from rolebook.text import Span

Flaw = Literal["blanks", "optional", "path", "hyphen", "scope", "letters", "artifact", "filter", "unclosed", "doubled"]

_LONGEST = 80
_INNER = {
    "braces": re.compile(r"(?<!\{)(\{++)([^{}\n]{1,80})(\}++)"),
    "angles": re.compile(r"(?<![<\w])(<)([^<>\n]{1,80})(>)(?!>)"),
}
_UNCLOSED = re.compile(r"\{((?:(?:app|user|temp):)?[A-Za-z_]\w{0,79}+)(?![\w:.?\-])(?=[^{}\n]*+(?:[{\n]|\Z))", re.ASCII)
_SCOPES = ("app", "user", "temp")
_NAME = re.compile(r"\w+", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PATH = re.compile(r"([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[[^\[\]]*\])+)", re.ASCII)
_HYPHENED = re.compile(r"[A-Za-z_]\w*(?:-[A-Za-z_]\w*)+", re.ASCII)
_ARTIFACT = re.compile(r"artifacts?\s*[.:]\s*(\S.*)", re.DOTALL)
_FILTERED = re.compile(r"((?:(?:app|user|temp):)?[A-Za-z_]\w*)\s*(?:\||:-|\?\?|!|%)\s*\S.*", re.ASCII)


class NearPlaceholder(Record):
    """A group in brackets, or one that is never closed. `key` is the state key that was likely meant.

    `meant` is the placeholder as it would be right; None where that depends on more than the form.
    """

    span: Span
    flaw: Flaw
    key: str
    meant: str | None
    optional: bool = False
    rest: str = ""
    """What stands beside the key and can't: a scope that there isn't, a path into the value."""


@lru_cache(maxsize=64)
def near_placeholders(text: str, syntax: TemplateSyntax = "braces") -> tuple[NearPlaceholder, ...]:
    """The near misses of `text` in order; each part of the text is looked at a fixed number of times."""
    if syntax == "angles":
        judged = [_judge(Span(*match.span()), match[2], syntax) for match in _INNER["angles"].finditer(text)]
        return tuple(near for near in judged if near is not None)
    found = [near for match in _INNER["braces"].finditer(text) if (near := _braces(match)) is not None]
    found += [_unclosed(match) for match in _UNCLOSED.finditer(text)]
    return tuple(sorted(found, key=lambda near: near.span))


def _braces(match: re.Match[str]) -> NearPlaceholder | None:
    """A group with one brace on either side, or several, of which the inner ones alone may make a placeholder."""
    doubled = min(len(match[1]), len(match[3]))
    span = Span(match.start(2) - doubled, match.end(2) + doubled)
    if doubled == 1 and _NAME.fullmatch(match[2]):
        return None  # well formed, as most are
    if doubled == 1:
        return _judge(span, match[2], "braces")
    word = match[2].strip()
    inner = next(iter(placeholders(f"{{{word}}}")), None)
    if inner is None or inner.artifact:
        return None
    return NearPlaceholder(span, "doubled", inner.key, f"{{{word}}}", inner.optional)


def _unclosed(match: re.Match[str]) -> NearPlaceholder:
    return NearPlaceholder(Span(*match.span()), "unclosed", match[1], f"{{{match[1]}}}")


def _judge(span: Span, inner: str, syntax: TemplateSyntax) -> NearPlaceholder | None:
    word = inner.strip()
    optional = word.endswith("?")
    word = word.rstrip("?").rstrip()
    if not word or len(word) > _LONGEST:
        return None
    opening, closing = ("<", ">") if syntax == "angles" else ("{", "}")

    def near(flaw: Flaw, key: str, right: str | None = None, rest: str = "") -> NearPlaceholder | None:
        meant = f"{opening}{right or key}{'?' * optional}{closing}" if right != "" else None
        return None if meant == text else NearPlaceholder(span, flaw, key, meant, optional, rest)

    text = f"{opening}{inner}{closing}"
    scope, colon, name = (part.strip() for part in word.partition(":"))
    if _NAME.fullmatch(word):
        return near("optional" if optional else "blanks", word)
    if colon and scope in _SCOPES and _NAME.fullmatch(name):
        return near("optional" if optional and f"{scope}:{name}" == word else "blanks", f"{scope}:{name}")
    if (artifact := _ARTIFACT.fullmatch(word)) is not None:
        file = artifact[1].strip()
        return near("artifact", file, f"artifact.{file}") if not set("<>{}?") & set(file) else None
    if colon and _WORD.fullmatch(scope) and _WORD.fullmatch(name):
        return near("scope", name, "", scope)
    if (path := _PATH.fullmatch(word)) is not None:
        return near("path", path[1], "", path[2])
    if _HYPHENED.fullmatch(word):
        return near("hyphen", word.replace("-", "_"))
    if not word.isascii() and word.isidentifier():
        return near("letters", word, "")
    if (filtered := _FILTERED.fullmatch(word)) is not None:
        return near("filter", filtered[1], "")
    return None
