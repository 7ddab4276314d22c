"""Python with spans, read and never run: what a module binds, and how its functions and classes are declared."""

from __future__ import annotations

from rolebook.syntax.python.expressions import parse_expression, source_of
from rolebook.syntax.python.nodes import (
    Assignment,
    Binding,
    Call,
    Class,
    ClassField,
    Collection,
    Constant,
    Dictionary,
    Either,
    Expression,
    Function,
    Import,
    Keyword,
    Module,
    Name,
    Other,
    Parameter,
    StateWrite,
    Subscript,
)
from rolebook.syntax.python.read import parse_module

__all__ = [
    "Assignment",
    "Binding",
    "Call",
    "Class",
    "ClassField",
    "Collection",
    "Constant",
    "Dictionary",
    "Either",
    "Expression",
    "Function",
    "Import",
    "Keyword",
    "Module",
    "Name",
    "Other",
    "Parameter",
    "StateWrite",
    "Subscript",
    "parse_expression",
    "parse_module",
    "source_of",
]
