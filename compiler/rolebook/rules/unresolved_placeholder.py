"""A placeholder that nothing fills: no agent of the tree declares or writes the key.

A key counts as set when an agent declares it under `state`, writes it with `output_key`, or has a tool or callback
whose Python source writes it. Where a tool may write any key, this is information rather than a warning, and so it is
in formulas and code (`\\frac{a}{b}`, `HEAD@{yesterday}`, `f"{total}"`), where the text may be meant as it stands. A
`temp:` key counts only for the agent that writes it. An optional placeholder is reported only where its key looks like
a slip of one that is set. Between `<` and `>`, `br` and its like are markup.

## Why
The model would read the placeholder itself, braces and all; google-adk ends the run.

## Example
```yaml
name: support
instruction: You are helping {usr_name}.
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
from functools import cached_property

from rolebook.definition.names import nearest, state_key_problem
from rolebook.problem import Fix, Problem, Related, Severity
from rolebook.project.state import StateKeys
from rolebook.record import Record, field
from rolebook.rules.around import code_in
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.texts import Occurrence, substituted
from rolebook.rules.timing import agents, optional, set_here, severity, untimely
from rolebook.syntax.markup import BARE
from rolebook.text import Edit

_MOST_COMPARED = 200
"""Keys for which a near one is looked for in each tree; with more, the text is no prompt that someone wrote."""


class _Names(Record, caches=True):
    """The keys that are set in a tree, for the nearest one to a key that isn't."""

    known: StateKeys
    found: dict[str, str | None] = field(default_factory=dict)

    @cached_property
    def _by_name(self) -> dict[str, str]:
        """The keys that a placeholder can name, by their names without a scope."""
        usable = (key for key in self.known.setters if state_key_problem(key) is None)
        return {key.rpartition(":")[2]: key for key in reversed(list(usable))}

    def near(self, key: str) -> str | None:
        """A key that is set and likely meant: the same name in another scope, or one that is spelt nearly so."""
        if key not in self.found:
            same = self._by_name.get(key.rpartition(":")[2])
            compared = self._by_name.values() if len(self.found) < _MOST_COMPARED else ()
            self.found[key] = same or nearest(key, compared)
        return self.found[key]


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    by_tree: dict[int, _Names] = {}
    for tree, place in subject.places():
        known = subject.snapshot.state_keys(tree)
        names = by_tree.setdefault(id(tree), _Names(known))
        is_tag = tree.template_syntax(place) == "angles"
        for found in substituted(tree, place):
            placeholder = found.placeholder
            if placeholder.escaped or placeholder.artifact or placeholder.key in known.setters:
                continue
            if not (is_tag and placeholder.key.lower() in BARE):
                yield from _report(rule, subject, found, names)
    for lost in untimely(subject, "elsewhere"):
        setters = lost.answer.setters
        yield rule.problem(
            subject,
            lost.found.key_span,
            f"nothing sets `{lost.key}` here; {agents(setters)} does, but keeps `temp:` state to itself",
            severity(rule, subject, lost.tree),
            set_here(setters),
            (optional(lost.found),),
        )


def _report(rule: Rule, subject: Subject, found: Occurrence, names: _Names) -> Iterator[Problem]:
    key, span, known = found.placeholder.key, found.key_span, names.known
    near = names.near(key)
    fixes = () if found.placeholder.optional else (optional(found),)
    if near is not None:
        related = tuple(Related(s.path, s.span, f"`{near}` is set here") for s in known.setters[near][:1] if s.path)
        level = Severity.INFO if found.placeholder.optional or known.open_to else None
        message = f"nothing sets `{key}`; did you mean `{near}`?"
        # What an agent or a tool writes may be there too late, which only a look at the flow tells.
        declared = not known.open_to and any(setter.kind in ("state", "config") for setter in known.setters[near])
        yield rule.problem(
            subject, span, message, level, related, (Fix(f"Change to `{near}`", (Edit(span, near),), declared), *fixes)
        )
    elif found.placeholder.optional:
        return
    elif known.open_to:
        tools = ", ".join(f"`{name}`" for name in known.open_to[:2])
        yield rule.problem(subject, span, f"nothing sets `{key}`, unless {tools} does", Severity.INFO, fixes=fixes)
    else:
        message = f"nothing sets `{key}`; declare it under `state`, or set it with an `output_key` or a tool"
        in_code = code_in(found.text.text).looks_like_code(found.placeholder.span)
        yield rule.problem(subject, span, message, Severity.INFO if in_code else None, fixes=fixes)


rule = Rule("unresolved-placeholder", Severity.WARNING, check, group="Placeholders")
