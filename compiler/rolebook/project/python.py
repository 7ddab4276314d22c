"""The user's Python sources, found by dotted names and read as text. Nothing here is ever imported (spec §10)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal

from rolebook.definition.python import Scope
from rolebook.definition.python.scope import Local
from rolebook.record import Record
from rolebook.syntax.python import Class, Function, Module
from rolebook.text import NOWHERE, Span

Kind = Literal["function", "class", "unknown", "missing"]
"""What a module of the workspace binds a name to. `unknown` is any other value, or can't be told from the text."""

_MOST_PARTS = 20
"""Parts of a dotted name that is explained; each costs some looks at files."""


class Found(Record):
    """A function in the workspace: the file that holds it, and the scope in which its annotations mean something."""

    path: str
    function: Function
    scope: Scope


class Binding(Record):
    """What the workspace binds a dotted name to: the file that holds it, and where its name stands there."""

    path: str
    name: str
    span: Span


class Absent(Record):
    """A part of a dotted name that isn't there: `name` in the module or package `inside`, which has `known` instead.

    `is_module` tells that a module is missing rather than something in it. Without `inside` the first part is in no
    folder of the workspace; a package of the environment may still have it.
    """

    inside: str
    name: str
    known: tuple[str, ...]
    is_module: bool = False


def search_folders(definition: str, root: str) -> tuple[str, ...]:
    """Where the dotted names of the definition at this path are looked for, in this order (spec §1)."""
    folder = os.path.dirname(definition)
    return tuple(dict.fromkeys((folder, os.path.dirname(folder), root, os.path.join(root, "src"))))


class Sources:
    """The modules that dotted names lead to from some folders. `read` gives the module of a file, None for no file;
    `names` the names of the files in a folder."""

    def __init__(
        self,
        folders: tuple[str, ...],
        read: Callable[[str], Module | None],
        names: Callable[[str], tuple[str, ...]] = lambda _: (),
    ) -> None:
        self._folders = folders
        self._names = names
        self._read = read
        self._scopes: dict[tuple[str, str], Scope | None] = {}
        self._paths: dict[int, str] = {}

    def function(self, name: str) -> Found | None:
        """The function with this dotted name; None where it isn't in the workspace, or is no function."""
        parts = name.removeprefix(".").split(".")
        for folder in self._folders:
            for length in range(len(parts) - 1, 0, -1):
                scope = self._scope(folder, ".".join(parts[:length]))
                if scope is not None:
                    return self._found(scope.find(".".join(parts[length:])))
        return None

    def module(self, name: str) -> Module | None:
        """The module with this dotted name; None where the workspace has none."""
        found = (self._scope(folder, name) for folder in self._folders)
        return next((scope.module for scope in found if scope is not None), None)

    def called(self, caller: Found, name: str) -> Found | None:
        """The function that `name` means in the module of `caller`; None where that can't be told."""
        return self._found(caller.scope.find(name))

    def binding(self, name: str) -> Binding | None:
        """The function, class or variable with this dotted name, or the module; None where the workspace has none."""
        parts = name.removeprefix(".").split(".")
        for folder in self._folders:
            for length in range(min(len(parts), _MOST_PARTS), 0, -1):
                scope = self._scope(folder, ".".join(parts[:length]))
                if scope is None:
                    continue
                if length == len(parts):
                    return Binding(self._paths[id(scope.module)], "", NOWHERE)
                found = scope.find(".".join(parts[length:]))
                if not isinstance(found, Local):
                    return None
                binding = found.binding
                return Binding(self._paths[id(found.scope.module)], binding.path, binding.name_span)
        return None

    def kind(self, name: str) -> Kind | None:
        """What `from MODULE import NAME` gives for a dotted name; None where the workspace has no such module."""
        module, _, own = name.rpartition(".")
        scopes = [scope for folder in self._folders if (scope := self._scope(folder, module)) is not None]
        if not scopes:
            return None
        scope = scopes[0]
        found = scope.find(own)
        if isinstance(found, Local):
            binding = found.binding
            return "function" if isinstance(binding, Function) else "class" if isinstance(binding, Class) else "unknown"
        known = scope.module.bindings
        stars = any(imported.name == "*" for imported in scope.module.imports)
        is_module = any(self._scope(folder, name) is not None for folder in self._folders)
        return (
            "unknown"
            if scope.module.broken or stars or is_module or own in known or "__getattr__" in known
            else "missing"
        )

    def absent(self, name: str) -> Absent | None:
        """Why a dotted name surely leads nowhere; None where it leads somewhere, or where that can't be told."""
        parts = name.removeprefix(".").split(".")
        if len(parts) > _MOST_PARTS:
            return None
        for length in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:length])
            if self._is_module(module):
                return self._absent_in(module, parts[length:])
        for length in range(len(parts) - 2, 0, -1):
            packages = [os.path.join(folder, *parts[:length]) for folder in self._folders]
            if any(self._has_other(package, parts[length]) for package in packages):
                return None
            found = tuple(dict.fromkeys(module for package in packages for module in self._modules_in(package)))
            if found:
                return Absent(".".join(parts[:length]), parts[length], found, is_module=True)
        top = tuple(dict.fromkeys(module for folder in self._folders for module in self._modules_in(folder)))
        return Absent("", parts[0], top, is_module=True) if len(parts) > 1 else None

    def _absent_in(self, module: str, rest: list[str]) -> Absent | None:
        if self.kind(f"{module}.{rest[0]}") != "missing":
            return None
        scope = next(scope for folder in self._folders if (scope := self._scope(folder, module)) is not None)
        packages = [os.path.join(folder, *module.split(".")) for folder in self._folders] if scope.is_package else []
        if any(self._has_other(package, rest[0]) for package in packages):
            return None
        modules = tuple(dict.fromkeys(name for package in packages for name in self._modules_in(package)))
        if len(rest) > 1:
            return Absent(module, rest[0], modules, is_module=True) if scope.is_package else None
        return Absent(module, rest[0], tuple(path for path in scope.module.bindings if "." not in path) + modules)

    def _is_module(self, name: str) -> bool:
        return any(self._scope(folder, name) is not None for folder in self._folders)

    def _has_other(self, folder: str, name: str) -> bool:
        """Whether a folder has a module that isn't Python source, or a folder of this name."""
        return any(other.startswith(f"{name}.") for other in self._names(folder)) or bool(
            self._names(os.path.join(folder, name))
        )

    def _modules_in(self, folder: str) -> tuple[str, ...]:
        names = self._names(folder)
        return tuple(name.removesuffix(".py") for name in names if name.endswith(".py") and name != "__init__.py")

    def _found(self, local: object) -> Found | None:
        if isinstance(local, Local) and isinstance(local.binding, Function):
            return Found(self._paths[id(local.scope.module)], local.binding, local.scope)
        return None

    def _scope(self, folder: str, name: str) -> Scope | None:
        """The module `name` below `folder`. What it imports is looked for there first, then in the other folders."""
        key = (folder, name)
        if key not in self._scopes:
            self._scopes[key] = None  # a module that imports itself ends here
            base = os.path.join(folder, *name.split("."))
            for path, is_package in ((os.path.join(base, "__init__.py"), True), (f"{base}.py", False)):
                module = self._read(path)
                if module is not None:
                    self._paths[id(module)] = path
                    self._scopes[key] = Scope(module, name, is_package, lambda other: self._load(folder, other))
                    break
        return self._scopes[key]

    def _load(self, first: str, name: str) -> Scope | None:
        for folder in dict.fromkeys((first, *self._folders)):
            if (scope := self._scope(folder, name)) is not None:
                return scope
        return None
