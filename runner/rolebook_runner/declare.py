"""The signature of an imported function as a tool, equal to what the compiler reads from its source.

Names are those of `rolebook.definition.python`: what that calls a hole is known here, and everything else is the same.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rolebook.definition.docstring import parse_docstring
from rolebook.definition.signature import Declared, Signature, default_of, field_of, is_passed_by_runner
from rolebook.definition.types import Field, Unfolding
from rolebook_runner.declare_types import class_names, declared_by_field, evaluated, is_field, type_of

_Function = Callable[..., Any]


def signature_of(function: _Function, name: str | None = None) -> Signature:
    """The signature of any callable, as a tool called `name`, by default by the callable's own name.

    Raises TypeError for what can't be called, and ValueError where Python knows no signature (some built-in functions).
    """
    listed = inspect.signature(function).parameters
    target = _target(function)
    hints = hints_of(function)
    docs = parse_docstring(_docstring(function))
    unfolding = Unfolding()
    fields: list[Field] = []
    for parameter in listed.values():
        hint = hints.get(parameter.name, parameter.annotation)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or is_passed(parameter.name, hint):
            continue
        kind = type_of(Any if hint is parameter.empty else hint, unfolding)
        fields.append(field_of(parameter.name, kind, _declared(parameter), docs))
    is_async = inspect.iscoroutinefunction(target) or inspect.isasyncgenfunction(target)
    is_generator = inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target)
    return Signature(name or _name(function), docs.description, tuple(fields), is_async, is_generator)


def _target(function: _Function) -> _Function:
    """The function whose code has the parameters: behind wrappers, bound methods, partials and callable objects."""
    function = inspect.unwrap(function)
    if isinstance(function, partial):
        return _target(function.func)
    if inspect.isclass(function):
        return function.__init__
    if inspect.ismethod(function):
        return _target(function.__func__)
    return function if inspect.isroutine(function) else _target(type(function).__call__)


def hints_of(function: _Function) -> Mapping[str, Any]:
    """The evaluated annotations. Where one can't be, as with an import for type checkers only, it is left out alone."""
    target = _target(function)
    try:
        return typing.get_type_hints(target, include_extras=True)
    except Exception:  # evaluating an annotation runs the user's expression
        raw = getattr(target, "__annotations__", {})
        return dict(evaluated(raw, getattr(target, "__globals__", {})))


def is_passed(name: str, hint: Any) -> bool:
    """Whether the runner passes this parameter itself, by its name or its type."""
    return is_passed_by_runner(name) or any(is_passed_by_runner("", each) for each in class_names(hint))


def _declared(parameter: inspect.Parameter) -> Declared:
    default = parameter.default
    if default is parameter.empty:
        return Declared()
    if is_field(default):
        found = declared_by_field(default)
        return Declared(found.required, found.default, found.description)
    return Declared(required=False, default=default_of(default))


def _docstring(function: _Function) -> str | None:
    """The function's own docstring; that of `__call__` or else of its class for a callable object."""
    if isinstance(function, partial):
        return _docstring(function.func)
    if inspect.isroutine(function) or inspect.isclass(function):
        text = function.__doc__
    else:
        text = type(function).__call__.__doc__ or type(function).__doc__
    return text if isinstance(text, str) else None


def _name(function: _Function) -> str:
    if isinstance(function, partial):
        return _name(function.func)
    return getattr(function, "__name__", None) or type(function).__name__
