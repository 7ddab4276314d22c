"""What a name in a module means: a class, function or alias of some source at hand, or a name of a library."""

from __future__ import annotations

import builtins
import typing
from collections.abc import Callable
from typing import TypeAlias

from rolebook.definition.python.names import canonical
from rolebook.definition.types import Unfolding
from rolebook.record import Record, replace
from rolebook.syntax.python import Assignment, Binding, Class, Expression, Function, Import, Module, Name

_MOST_HOPS, _MOST_STEPS = 30, 1_000
"""Imports and re-exports that are followed for one name, in a row and in all; modules that import each other in a
circle end there, and those that do so several times."""


class External(Record):
    """A name whose source isn't at hand, in the form of `names.canonical`."""

    name: str


class Local(Record):
    """A binding, and the scope of the module that holds it: names inside of it are to be looked up there."""

    binding: Function | Class | Assignment
    scope: Scope


Load: TypeAlias = "Callable[[str], Scope | None]"
"""Gives the scope of a module by its absolute dotted name; None where its source isn't at hand."""


def _nothing(_: str) -> Scope | None:
    return None


class _Hops:
    """How far one search has come: the hops in a row, and all steps, which its branches count together."""

    def __init__(self, row: int = 0, steps: list[int] | None = None) -> None:
        self.row = row
        self.steps = steps if steps is not None else [0]

    def next(self) -> _Hops:
        return _Hops(self.row + 1, self.steps)

    def exhausted(self) -> bool:
        self.steps[0] += 1
        return self.row > _MOST_HOPS or self.steps[0] > _MOST_STEPS


class Scope(Record):
    """A module under its absolute dotted name, with a way to the modules that it imports."""

    module: Module
    name: str = ""
    is_package: bool = False
    load: Load = _nothing

    def find(self, dotted: str, inside: str = "") -> Local | External | None:
        """What `dotted` means when the module has run, first in the class at the path `inside`.

        None where that can't be told: nothing binds it, several places may, or it is imported for type checkers only.
        """
        return self._find(dotted, inside, _Hops())

    def _find(self, dotted: str, inside: str, hops: _Hops) -> Local | External | None:
        if hops.exhausted():
            return None
        head, _, rest = dotted.partition(".")
        if inside and f"{inside}.{head}" in self.module.bindings:
            return self._bound(f"{inside}.{head}", rest, hops)
        if head in self.module.bindings:
            return self._bound(head, rest, hops)
        return self._unbound(dotted, head, hops)

    def _bound(self, path: str, rest: str, hops: _Hops) -> Local | External | None:
        bindings = self.module.bindings.get(path, ())
        last = max((k for k, each in enumerate(bindings) if not each.conditional), default=0)
        found = [self._follow(each, rest, hops) for each in bindings[last:] if not each.typing_only]
        return found[0] if found and all(each == found[0] for each in found) else None

    def _follow(self, binding: Binding, rest: str, hops: _Hops) -> Local | External | None:
        if isinstance(binding, Import):
            source = self._absolute(binding.module, binding.level)
            if source is None:
                return None
            if binding.name is None and binding.alias is None:  # `import a.b` binds `a`
                source = source.partition(".")[0]
            return self._imported(".".join(filter(None, (source, binding.name, rest))), hops.next())
        if not rest:
            return Local(binding, self)
        head, _, further = rest.partition(".")
        return self._bound(f"{binding.path}.{head}", further, hops.next()) if isinstance(binding, Class) else None

    def _unbound(self, dotted: str, head: str, hops: _Hops) -> Local | External | None:
        stars = [each for each in self.module.imports if each.name == "*" and not each.typing_only]
        sources = [source for each in stars if (source := self._absolute(each.module, each.level)) is not None]
        for source in reversed(sources):
            scope = self.load(source)
            found = scope._find(dotted, "", hops.next()) if scope is not None and not head.startswith("_") else None
            if isinstance(found, Local) or (found is not None and not found.name.startswith("builtins.")):
                return found
        if hasattr(builtins, head):
            return External(canonical(f"builtins.{dotted}"))
        is_typing = any(source in ("typing", "typing_extensions") for source in sources)
        return External(canonical(f"typing.{dotted}")) if is_typing and head in typing.__all__ else None

    def _imported(self, dotted: str, hops: _Hops) -> Local | External | None:
        """What an absolute name means: in the shortest package that has it, since imports try attributes first."""
        parts = dotted.split(".")
        known = False
        for count in range(1, len(parts)):
            scope = self.load(".".join(parts[:count]))
            if scope is None:
                continue
            known = True
            found = scope._find(".".join(parts[count:]), "", hops)
            if isinstance(found, Local) or (found is not None and not found.name.startswith("builtins.")):
                return found
        return None if known else External(canonical(dotted))

    def _absolute(self, module: str, level: int) -> str | None:
        if level == 0:
            return module
        package = self.name.split(".") if self.name else []
        up = level - 1 if self.is_package else level
        if up > len(package):
            return None
        return ".".join(filter(None, (*package[: len(package) - up], module)))


class Context(Record):
    """Where an expression is read: its module, the class around it, and the names that `def f[T]` declares.

    `aliases` are those that are being followed, so that one that holds itself ends.
    """

    scope: Scope
    unfolding: Unfolding
    inside: str = ""
    type_names: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()

    def find(self, dotted: str) -> Local | External | None:
        return None if dotted in self.type_names else self.scope.find(dotted, self.inside)

    def external(self, expression: Expression) -> str:
        """The canonical name of a library's that `expression` is, empty for anything else."""
        found = self.find(expression.dotted) if isinstance(expression, Name) else None
        return found.name if isinstance(found, External) else ""

    def within(self, found: Local) -> Context | None:
        """The context of the value of an alias; None where the alias holds itself, or too many others."""
        key = f"{found.scope.name}:{found.binding.path}"
        if key in self.aliases or not self.unfolding.alias(len(self.aliases)):
            return None
        return replace(self, scope=found.scope, inside="", type_names=frozenset(), aliases=(*self.aliases, key))
