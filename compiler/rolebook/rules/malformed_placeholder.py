"""What was meant as a placeholder isn't written as one, so the model reads it as it stands.

A placeholder is `{name}`, with `app:`, `user:` or `temp:` before the name and `?` after it where needed, and
no blanks. It names a whole value: there are no paths into it, no filters and no defaults. What looks like code is left
alone.

## Why
`{ user_name }` reaches the model with its braces, and no one notices until an answer greets "{ user_name }".

## Example
```yaml
name: support
instruction: You are helping { user_name }.
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

from collections.abc import Iterator

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules.around import Around, agents_around, code_in
from rolebook.rules.rule import Rule, Subject
from rolebook.syntax.adk_template import adk_placeholders
from rolebook.syntax.near_template import Flaw, NearPlaceholder, near_placeholders
from rolebook.text import Edit, MappedText, Span

_ONLY_KNOWN: frozenset[Flaw] = frozenset({"filter"})
_DOUBTFUL: frozenset[Flaw] = frozenset({"letters"})
"""Forms that are information at most where the name is no known key."""


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    runtime = subject.snapshot.config(subject.path).runtime
    for around in agents_around(subject):
        for text in around.substituted:
            for near in near_placeholders(text.text, around.syntax):
                written = text.text[near.span.start : near.span.end]
                if near.flaw == "doubled" or (runtime == "adk-python" and any(adk_placeholders(written))):
                    continue
                yield from _judge(rule, subject, around, text, near)


def _judge(rule: Rule, subject: Subject, around: Around, text: MappedText, near: NearPlaceholder) -> Iterator[Problem]:
    key, known = _meant(near, around.known)
    code = code_in(text.text)
    if near.flaw == "unclosed" and code.is_closed(near.span.start):
        return
    if known:
        if code.looks_like_code(near.span):
            return
    elif near.flaw in _ONLY_KNOWN or not code.is_prose(near.span) or not _is_likely(near, around.syntax):
        return
    span = text.source(*near.span)
    written = text.text[near.span.start : near.span.end]
    doubtful = not known and _is_doubtful(near, written)
    fixes = _fixes(near, written, key, known, around, span) if not doubtful or near.meant else ()
    message = f"`{written}` is no placeholder: {_reason(near, key, known)}"
    yield rule.problem(subject, span, message, Severity.INFO if doubtful else None, fixes=fixes)


def _fixes(near: NearPlaceholder, written: str, key: str, known: bool, around: Around, span: Span) -> tuple[Fix, ...]:
    """The placeholder that was meant. It is certain for an artifact, and for a key that is there from the start."""
    if near.flaw == "artifact":
        meant, safe = near.meant, ":" not in written or ": " not in written
    elif known or near.meant is None:
        if near.flaw in ("letters", "filter", "path") and not known:
            return ()
        closing = ">" if written[0] == "<" else "}"
        meant = f"{written[0]}{key}{'?' * near.optional}{closing}"
        whole = near.flaw in ("blanks", "optional", "hyphen") or key != near.key
        alone = near.flaw != "path" or near.key not in around.known
        safe = known and whole and alone and around.is_declared(key)
    else:
        meant, safe = near.meant, False
    return (Fix(f"Write `{meant}`", (Edit(span, meant),), safe),) if meant and meant != written else ()


def _meant(near: NearPlaceholder, known: frozenset[str]) -> tuple[str, bool]:
    """The key that was likely meant, and whether anything sets it."""
    if near.flaw == "artifact":
        return near.key, False
    candidates = [near.key]
    if near.flaw == "scope":
        scope = _nearest_scope(near.rest)
        candidates = [*([f"{scope}:{near.key}"] if scope else []), near.key]
    elif near.flaw == "path" and near.rest.startswith("."):
        rest = near.rest[1:]
        candidates = [f"{near.key}:{rest}", f"{near.key}_{rest}".replace(".", "_"), near.key]
    elif near.flaw == "hyphen":
        candidates = [near.key, near.key.replace("_", "")]
    found = next((candidate for candidate in candidates if candidate in known), None)
    return (found, True) if found is not None else (candidates[0], False)


def _is_likely(near: NearPlaceholder, syntax: str) -> bool:
    """Whether the form alone, in prose, speaks for a placeholder. Between `<` and `>` too much else is written."""
    if syntax == "angles" or near.key[:1].isdigit():
        return False
    if near.flaw == "scope":
        return _nearest_scope(near.rest) is not None
    if near.flaw == "hyphen":
        return all(len(part) > 1 for part in near.key.split("_"))
    return near.flaw != "unclosed" or len(near.key) > 1


def _is_doubtful(near: NearPlaceholder, written: str) -> bool:
    """A key and its value in an object of JavaScript or YAML look like `{app: name}`."""
    return near.flaw in _DOUBTFUL or ": " in written


def _nearest_scope(written: str) -> str | None:
    """The scope that is one letter more or less than what is written, two letters swapped, or written in capitals.

    Another letter makes another word: `api` is not `app`.
    """
    for scope in ("app", "user", "temp"):
        if written.lower() == scope or sorted(written.lower()) == sorted(scope):
            return scope
        longer, shorter = sorted((written.lower(), scope), key=len, reverse=True)
        if len(longer) == len(shorter) + 1 and any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer))):
            return scope
    return None


def _reason(near: NearPlaceholder, key: str, known: bool) -> str:
    """What is wrong, as the rest of a sentence."""
    match near.flaw:
        case "blanks":
            return "no blank may stand in one"
        case "optional":
            return "it ends in one `?`, with no blank before"
        case "path" if known and ":" in key:
            return f"a scope ends in `:`; did you mean `{key}`?"
        case "path" if known and key != near.key:
            return f"it names a whole value; did you mean `{key}`?"
        case "path":
            return f"it names a whole value, and `{near.rest}` leads into one"
        case "hyphen":
            return f"names are letters, digits and `_`; did you mean `{key}`?"
        case "letters":
            return "names are made of the letters a to z and A to Z, digits and `_`"
        case "artifact":
            return "the name of an artifact's file follows on `artifact.`"
        case "filter":
            return "nothing but a `?` follows on the name"
        case "unclosed":
            return "the closing `}` is missing"
        case "scope" if known and key == near.key:
            return f"there is no scope `{near.rest}:`; `{key}` is set without one"
    return f"there is no scope `{near.rest}:`; did you mean `{key}`?"


rule = Rule("malformed-placeholder", Severity.WARNING, check, group="Placeholders")
