"""Frozen records with slots: what `dataclass(frozen=True, slots=True)` gives, made in a tenth of the time.

A hundred dataclasses take longer to make than a command takes to check a file (each compiles eight functions, and
their module loads `inspect`). Here one function is compiled for each class, and the rest is inherited. Type checkers
see a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, dataclass_transform

R = TypeVar("R", bound="Record")


class _Factory(NamedTuple):
    make: Callable[[], Any]


def field(*, default_factory: Callable[[], Any]) -> Any:
    """The default of a field that is made anew for each record."""
    return _Factory(default_factory)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _RecordType(type):
    """Makes the slots and `__init__` from the annotations in the class body.

    `caches=True` gives the records a `__dict__` as well, for `cached_property`. A record class has no subclasses.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, caches: bool = False
    ) -> _RecordType:
        names = tuple(namespace.get("__annotations__", ()))
        defaults = {field: namespace.pop(field) for field in names if field in namespace}
        namespace["__slots__"] = (*names, "__dict__") if caches else names
        namespace["__match_args__"] = names
        made = super().__new__(cls, name, bases, namespace)
        if names:
            made._values = attrgetter(*names)  # type: ignore[attr-defined]
            made.__init__ = _initializer(made, names, defaults)  # type: ignore[misc]
        return made


class Record(metaclass=_RecordType):
    """The base of all records. Equal are two of one class whose fields are equal."""

    def _values(self) -> Any:
        """The values of the fields, by an `attrgetter` that each class has in place of this."""
        return ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: `{name}` can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: `{name}` can't be deleted")

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and type(self)._values(self) == type(self)._values(other))

    def __hash__(self) -> int:
        return hash((type(self), type(self)._values(self)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields(self))
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in fields(self))


def fields(record: Record | type[Record]) -> tuple[str, ...]:
    """The names of a record's fields, in their order."""
    names: tuple[str, ...] = record.__match_args__
    return names


def replace(record: R, **changes: Any) -> R:
    """The record with other values in some fields."""
    return type(record)(**{name: getattr(record, name) for name in fields(record)} | changes)


def _initializer(made: type, names: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    """`__init__` with one parameter for each field. It writes through the slots' descriptors, past `__setattr__`."""
    scope: dict[str, Any] = {}
    parameters, lines = [], []
    for name in names:
        scope[f"_set_{name}"] = made.__dict__[name].__set__
        value = name
        if name not in defaults:
            parameters.append(name)
        elif isinstance(defaults[name], _Factory):
            scope[f"_make_{name}"] = defaults[name].make
            parameters.append(f"{name}=_MISSING")
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        else:
            scope[f"_default_{name}"] = defaults[name]
            parameters.append(f"{name}=_default_{name}")
        lines.append(f"    _set_{name}(self, {value})")
    scope["_MISSING"] = _Factory
    exec("\n".join([f"def __init__(self, {', '.join(parameters)}):", *lines]), scope)
    initializer: Callable[..., None] = scope["__init__"]
    initializer.__qualname__ = f"{made.__qualname__}.__init__"
    return initializer
