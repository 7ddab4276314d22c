"""Dotted names as google-adk imports them: the last part is taken from the module that the others name."""

from __future__ import annotations

from rolebook.definition.adk_names import PACKAGE, Known, adk
from rolebook.rules.rule import Subject


def resolve(subject: Subject, name: str) -> Known | str:
    """What `name` stands for, or why google-adk can't import it, as the rest of a sentence about google-adk.

    Nothing is said of names in the packages that come along with google-adk; any other must be in the workspace.
    """
    top, _, rest = name.partition(".")
    module, _, own = name.rpartition(".")
    data = adk()
    if not top:
        return f"imports no relative name here; write `{name}` with its package"
    if top in data.blocked:
        return f"imports nothing from `{top}`: the standard library is closed to definitions"
    if not rest:
        return f"wants a dotted name here: `{name}` has no module"
    if f"{name}.".startswith(f"{PACKAGE}."):
        known = data.find(name)
        return f"has no `{name}`" if known.kind == "missing" else known
    kind = subject.snapshot.python(subject.path).kind(name)
    if kind == "missing":
        return f"can't import `{name}`: `{module}` defines no `{own}`"
    if kind is not None:
        return Known(kind)
    if top in data.installed:
        return Known("unknown")
    return f"can't import `{name}`: there is no module `{module}` in this workspace"
