"""tree-sitter parsers from the grammars' wheels, without the price of their packages.

Importing such a package loads `importlib.resources`, `tempfile` and `pathlib` for queries that nobody asks for, which
takes longer than all parsing of a command. So its extension module is loaded by itself where it can be found.
"""

from __future__ import annotations

import importlib
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, PathFinder
from os import path
from typing import Any

import tree_sitter


def parser(package: str) -> tree_sitter.Parser:
    """A parser for the language of a grammar's package, such as `tree_sitter_yaml`."""
    return tree_sitter.Parser(tree_sitter.Language(_binding(package).language()))


def _binding(package: str) -> Any:
    found = PathFinder.find_spec(package)
    for folder in (found.submodule_search_locations if found is not None else None) or ():
        for suffix in EXTENSION_SUFFIXES:
            file = path.join(folder, "_binding" + suffix)
            if path.isfile(file):
                name = f"{package}._binding"
                return _load(ModuleSpec(name, ExtensionFileLoader(name, file), origin=file))
    return importlib.import_module(package)


def _load(spec: ModuleSpec) -> Any:
    loader = spec.loader
    assert isinstance(loader, ExtensionFileLoader)
    module = loader.create_module(spec)
    loader.exec_module(module)
    return module
