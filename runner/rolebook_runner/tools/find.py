"""Dotted names to the user's objects (spec §1): in the workspace's folders, then in the environment.

What lies in the workspace is imported under a module name that is unique to its folder, so two trees may each have a
`tools.py`. The folders are appended to `sys.path` as well, for the absolute imports of the user's own modules; there
Python's usual rule holds, and of two modules of one name the first that was imported wins.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from rolebook_runner.errors import RunError
from rolebook_runner.tools.failure import told


def find(name: str, folders: Sequence[str]) -> object:
    """The object with this dotted name. This runs the code of the module that holds it.

    Raises RunError where there is none, and where its module can't be imported, with file and line.
    """
    parts = name.removeprefix(".").split(".")
    for folder in folders:
        for length in range(len(parts) - 1, 0, -1):
            if _is_module(folder, parts[:length]):
                module = _import_from(folder, parts[:length], folders, name)
                return _attribute(module, parts[length:], name)
    module, rest = _import_installed(parts, name)
    return _attribute(module, rest, name)


def _is_module(folder: str, parts: Sequence[str]) -> bool:
    path = os.path.join(folder, *parts)
    return os.path.isfile(path + ".py") or os.path.isfile(os.path.join(path, "__init__.py"))


def _import_from(folder: str, parts: Sequence[str], folders: Sequence[str], name: str) -> ModuleType:
    for other in folders:
        if other not in sys.path and os.path.isdir(other):
            sys.path.append(other)
    return _import(".".join((_namespace(folder), *parts)), name)


def _namespace(folder: str) -> str:
    """The name of a package without a file whose modules are those of the folder."""
    name = "rolebook_workspace_" + hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:16]
    if name not in sys.modules:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [folder]
        sys.modules.setdefault(name, importlib.util.module_from_spec(spec))  # other threads import too
    return name


def _import_installed(parts: Sequence[str], name: str) -> tuple[ModuleType, Sequence[str]]:
    for length in range(len(parts) - 1, 0, -1):
        if _is_installed(parts[:length]):
            return _import(".".join(parts[:length]), name), parts[length:]
    raise RunError(f"`{name}` is neither in the workspace nor installed")


def _is_installed(parts: Sequence[str]) -> bool:
    """Whether there is such a module. Looking for one imports the packages around it, which may fail in any way."""
    try:
        return importlib.util.find_spec(".".join(parts)) is not None
    except Exception:
        return False


def _import(module: str, name: str) -> ModuleType:
    if module not in sys.modules:
        importlib.invalidate_caches()  # the file may be new
    try:
        return importlib.import_module(module)
    except SystemExit as error:
        raise RunError(f"`{name}` can't be imported: its module exits ({error})") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RunError(f"`{name}` can't be imported: {told(error)}") from error


def _attribute(module: ModuleType, path: Sequence[str], name: str) -> object:
    value: object = module
    for part in path:
        if not hasattr(value, part):
            raise RunError(f"`{name}` isn't there: {module.__file__ or module.__name__} has no `{'.'.join(path)}`")
        value = getattr(value, part)
    return value
