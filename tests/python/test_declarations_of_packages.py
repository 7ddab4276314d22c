"""Every function of some real packages is declared from source as it is at run time, up to holes."""

import importlib
import importlib.util
import inspect
import json
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from rolebook.definition.declaration import Declaration
from rolebook.definition.python import Scope, read_signature
from rolebook.definition.signature import declaration
from rolebook.syntax.python import Function, parse_module
from rolebook_runner.declare import signature_of


@lru_cache
def scope_of(name: str) -> Scope | None:
    if name.split(".")[0] not in ("httpx", "anyio", "pygls"):
        return None
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    module = parse_module(Path(spec.origin).read_text(encoding="utf-8"))
    return Scope(module, name, bool(spec.submodule_search_locations), scope_of)


def modules(package: str) -> Iterator[str]:
    yield package
    path = importlib.import_module(package).__path__
    yield from (each.name for each in pkgutil.walk_packages(path, f"{package}.") if "__main__" not in each.name)


def functions(name: str) -> Iterator[tuple[Function, Scope, Any]]:
    """The functions that a module defines itself, as they are read and as they are."""
    scope = scope_of(name)
    try:
        imported = importlib.import_module(name)
    except (ImportError, AssertionError):  # a module for another system, or with a dependency that isn't installed
        return
    for function in scope.module.functions if scope is not None else ():
        if function.name.startswith("__") or scope is None or scope.module.find(function.path) is not function:
            continue
        found: Any = imported
        for part in function.path.split("."):
            found = getattr(found, part, None)
        if inspect.isroutine(found) and getattr(inspect.unwrap(found), "__module__", None) == name:
            yield function, scope, found


def agree(read: Any, run: Any) -> bool:
    if isinstance(read, dict) and "hole" in read:
        return True
    if isinstance(read, dict) and isinstance(run, dict):
        known = [key for key, value in read.items() if key in run or not (isinstance(value, dict) and "hole" in value)]
        return known == list(run) and all(agree(read[key], run[key]) for key in known)
    if isinstance(read, list) and isinstance(run, list):
        return len(read) == len(run) and all(agree(one, other) for one, other in zip(read, run, strict=True))
    return json.dumps(read) == json.dumps(run)


@pytest.mark.parametrize("package", ["httpx", "anyio", "pygls"])
def test_functions_of_a_package(package: str) -> None:
    count = 0
    for name in modules(package):
        for function, scope, found in functions(name):
            read, run = declaration(read_signature(function, scope)), declaration(signature_of(found))
            count += 1
            if isinstance(read, Declaration) and isinstance(run, Declaration):
                assert agree(read.to_json(), run.to_json()), f"{name}.{function.path}"
    assert count > 50
