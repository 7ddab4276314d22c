"""A function in source to the signature that the runner would find on the function itself."""

from __future__ import annotations

from rolebook.definition.docstring import parse_docstring
from rolebook.definition.python.annotations import class_names, type_of
from rolebook.definition.python.scope import Context, External, Scope
from rolebook.definition.python.values import declared
from rolebook.definition.signature import Declared, Signature, field_of, is_passed_by_runner
from rolebook.definition.types import Field, Hole, Unfolding
from rolebook.record import replace
from rolebook.syntax.python import Call, Expression, Function, Name, Parameter, source_of

_KEEPS_SIGNATURE = frozenset(
    {
        *(f"builtins.{name}" for name in ("staticmethod", "classmethod")),
        *(f"functools.{name}" for name in ("cache", "lru_cache", "singledispatch", "wraps")),
        *(f"typing.{name}" for name in ("final", "override", "deprecated")),
        *(f"contextlib.{name}" for name in ("contextmanager", "asynccontextmanager")),
        *("abc.abstractmethod", "warnings.deprecated", "pydantic.validate_call", "tenacity.retry"),
    }
)


def read_signature(function: Function, scope: Scope, name: str | None = None) -> Signature:
    """The signature of a function of the module of `scope`, as a tool called `name`, by default as the function itself.

    Its parameters are a hole where a decorator may change them, where the header has a syntax error, and where a
    condition decides which of several functions this is.
    """
    try:
        return _read(function, scope, name or function.name)
    except RecursionError:  # every way down has a limit, but their product is past Python's
        hole = Hole(f"{function.path}(…)")
        return Signature(name or function.name, "", hole, function.is_async, function.is_generator)


def _read(function: Function, scope: Scope, name: str) -> Signature:
    docs = parse_docstring(function.docstring)
    inside = "" if _is_postponed(scope) else function.path.rpartition(".")[0]
    context = Context(scope, Unfolding(), inside, function.type_names)
    fields: tuple[Field, ...] | Hole | None = _hole(function, context)
    if fields is None:
        listed = [each for each in _own_parameters(function, context) if not _is_passed(each, context)]
        fields = tuple(
            field_of(each.name, type_of(each.annotation, context), _default(each.default, context), docs)
            for each in listed
        )
    return Signature(name, docs.description, fields, function.is_async, function.is_generator)


def _is_postponed(scope: Scope) -> bool:
    """Whether annotations are evaluated later, when the names of the class around are out of sight."""
    return any(each.module == "__future__" and each.name == "annotations" for each in scope.module.imports)


def _hole(function: Function, context: Context) -> Hole | None:
    if not function.complete or context.scope.find(function.path) is None:
        return Hole(f"{function.path}(…)")
    for decorator in function.decorators:
        if not _keeps_signature(decorator, context):
            return Hole(f"@{source_of(decorator)} {function.path}(…)")
    return None


def _keeps_signature(decorator: Expression, context: Context) -> bool:
    called = isinstance(decorator, Call)
    named = decorator.function if isinstance(decorator, Call) else decorator
    found = context.find(named.dotted) if isinstance(named, Name) else None
    if isinstance(found, External):
        return found.name in _KEEPS_SIGNATURE
    if found is None or not isinstance(found.binding, Function):
        return False
    return found.binding.wraps or (found.binding.returns_argument and not called)


def _own_parameters(function: Function, context: Context) -> tuple[Parameter, ...]:
    """The parameters that are passed by name, which Python mangles in a class; a class method's first is its class."""
    is_bound = any(context.external(decorator) == "builtins.classmethod" for decorator in function.decorators)
    named = function.parameters[1:] if is_bound else function.parameters
    owner = function.path.split(".")[-2].lstrip("_") if "." in function.path else ""
    return tuple(
        replace(each, name=f"_{owner}{each.name}") if owner and _is_mangled(each.name) else each
        for each in named
        if each.kind not in ("rest", "keywords")
    )


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _is_passed(parameter: Parameter, context: Context) -> bool:
    if is_passed_by_runner(parameter.name):
        return True
    return any(is_passed_by_runner("", name) for name in class_names(parameter.annotation, context))


def _default(value: Expression | None, context: Context) -> Declared:
    found = declared(value, context)
    if found is None:
        return Declared(required=False, default=Hole(source_of(value)) if value is not None else None)
    return replace(found, name=None)
