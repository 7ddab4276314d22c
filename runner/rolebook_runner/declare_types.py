"""Types at run time to the compiler's types, class by class as `rolebook.definition.python` reads them from source.

pydantic's classes are known by their names and attributes, so that a tool without them doesn't load it.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rolebook.definition.docstring import Docstring, parse_docstring
from rolebook.definition.python.names import applied, canonical, named
from rolebook.definition.signature import Declared, default_of, field_of
from rolebook.definition.types import ANYTHING, INTEGER, NULL, Described, Field, Struct, Type, Unfolding, choice, union
from rolebook.syntax.python import Constant, Either, Expression, Name, Subscript, parse_expression

_TRANSPARENT = frozenset(f"typing.{name}" for name in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly"))
_FACTORIES: tuple[Callable[[], object], ...] = (list, dict, str, tuple)
"""Factories whose result is shown as a default. A function of the user's may give another value each time."""


def type_of(hint: Any, unfolding: Unfolding) -> Type:
    """The type of an evaluated annotation; anything for what the compiler's types can't say."""
    if hint is None:
        return NULL
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        inner, text = type_of(arguments[0], unfolding), _description(arguments[1:])
        return Described(inner, text) if text and not isinstance(inner, Described) else inner
    if origin is typing.Union or origin is types.UnionType:
        return union([type_of(argument, unfolding) for argument in arguments])
    if origin is typing.Literal or str(origin) == "typing_extensions.Literal":
        return choice([argument.value if isinstance(argument, enum.Enum) else argument for argument in arguments])
    if origin is not None and not isinstance(origin, type):
        return type_of(arguments[0], unfolding) if canonical(str(origin)) in _TRANSPARENT else ANYTHING
    if origin is not None:
        known = named(_qualified(origin))
        if known is None:
            return _class_type(origin, unfolding)
        kinds = [None if argument is ... else type_of(argument, unfolding) for argument in arguments]
        return applied(_qualified(origin), kinds) or ANYTHING
    if isinstance(hint, type):
        return _class_type(hint, unfolding)
    return _indirect(hint, unfolding)


def class_names(hint: Any) -> Iterator[str]:
    """The names of the classes that a hint allows, through unions and `Annotated`. A string has no value."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, str):
        yield from _written(parse_expression(hint))
    elif origin is typing.Union or origin is types.UnionType:
        for argument in arguments:
            yield from class_names(argument)
    elif origin is typing.Annotated:
        yield from class_names(arguments[0])
    elif isinstance(cls := origin or hint, type):
        yield cls.__name__


def _written(annotation: Expression | None) -> Iterator[str]:
    match annotation:
        case Name(dotted=dotted):
            yield dotted.rpartition(".")[2]
        case Either(left=left, right=right):
            yield from _written(left)
            yield from _written(right)
        case Constant(value=str() as quoted):
            yield from _written(parse_expression(quoted))
        case Subscript(base=base, items=items):
            name = next(_written(base), "")
            for item in {"Optional": items, "Union": items, "Annotated": items[:1]}.get(name, (base,)):
                yield from _written(item)


def is_field(value: Any) -> bool:
    """Whether a default value is what pydantic's `Field(…)` returns."""
    return any(canonical(_qualified(cls)) == "pydantic.FieldInfo" for cls in type(value).__mro__)


def declared_by_field(info: Any) -> Declared:
    """What a pydantic field declares."""
    alias = info.validation_alias if isinstance(info.validation_alias, str) else info.alias
    text = info.description or ""
    if info.is_required():
        return Declared(description=text, name=alias)
    factory = info.default_factory
    default = default_of(info.default) if factory is None else _made(factory)
    is_passed = getattr(info, "init", None) is not False
    return Declared(False, default, text, alias, is_passed)


def _indirect(hint: Any, unfolding: Unfolding) -> Type:
    """A NewType, type alias or type variable by what it stands for."""
    for attribute in ("__supertype__", "__value__"):
        if hasattr(hint, attribute):
            return type_of(getattr(hint, attribute), unfolding)
    if isinstance(hint, typing.TypeVar):
        if hint.__constraints__:
            return union([type_of(each, unfolding) for each in hint.__constraints__])
        return type_of(hint.__bound__, unfolding) if hint.__bound__ is not None else ANYTHING
    return named(str(hint)) or ANYTHING


def _class_type(cls: type, unfolding: Unfolding) -> Type:
    if issubclass(cls, enum.Flag):
        return INTEGER
    if issubclass(cls, enum.Enum):
        return choice([member.value for member in cls])
    if (fields := _field_reader(cls)) is not None:
        return unfolding.record(cls, lambda: _record(cls, fields, unfolding))
    return next((known for base in cls.__mro__ if (known := named(_qualified(base))) is not None), ANYTHING)


_ReadFields = Callable[[Any, Docstring, Unfolding], Iterator[Field]]


def _field_reader(cls: type) -> _ReadFields | None:
    """None for a class that is no record."""
    if isinstance(getattr(cls, "__pydantic_fields__", None), Mapping):
        return _model_fields
    if issubclass(cls, dict) and hasattr(cls, "__total__") and hasattr(cls, "__required_keys__"):
        return _dict_fields
    return _dataclass_fields if dataclasses.is_dataclass(cls) else None


def _record(cls: type, fields: _ReadFields, unfolding: Unfolding) -> Type:
    docs = parse_docstring(_own_docstring(cls))
    listed = tuple(fields(cls, docs, unfolding))
    if any(canonical(_qualified(base)) == "pydantic.RootModel" for base in cls.__mro__):
        return listed[0].type
    return Struct(cls.__name__, listed, docs.description)


def _own_docstring(cls: type) -> str | None:
    """The docstring that is written at the class. A dataclass without one gets its signature as such."""
    text = cls.__dict__.get("__doc__")
    return None if text is None or text.startswith(f"{cls.__name__}(") else text


def _model_fields(cls: Any, docs: Docstring, unfolding: Unfolding) -> Iterator[Field]:
    if hasattr(cls, "model_rebuild"):
        cls.model_rebuild(raise_errors=False)
    for name, info in cls.__pydantic_fields__.items():
        found = declared_by_field(info)
        kind = type_of(info.annotation, unfolding)
        text = _description([each for each in info.metadata if not is_field(each)]) or found.description
        if found.is_passed:
            yield field_of(name, Described(kind, text) if text else kind, found, docs)


def _dict_fields(cls: Any, docs: Docstring, unfolding: Unfolding) -> Iterator[Field]:
    for name, hint in _hints(cls).items():
        required = _requirement(hint)
        declared = Declared(required=name in cls.__required_keys__ if required is None else required)
        yield field_of(name, type_of(hint, unfolding), declared, docs)


def _requirement(hint: Any) -> bool | None:
    """What `Required` and `NotRequired` say. `__required_keys__` misses them in annotations that are strings."""
    origin = typing.get_origin(hint)
    name = canonical(str(origin))
    if name in ("typing.Required", "typing.NotRequired"):
        return name == "typing.Required"
    if origin is typing.Annotated or name == "typing.ReadOnly":
        return _requirement(typing.get_args(hint)[0])
    return None


def _dataclass_fields(cls: Any, docs: Docstring, unfolding: Unfolding) -> Iterator[Field]:
    hints = _hints(cls)
    for field in dataclasses.fields(cls):
        if field.init:
            hint = hints.get(field.name, field.type)
            yield field_of(field.name, type_of(hint, unfolding), _dataclass_default(field), docs)


def _dataclass_default(field: dataclasses.Field[Any]) -> Declared:
    if field.default_factory is not dataclasses.MISSING:
        return Declared(required=False, default=_made(field.default_factory))
    if field.default is dataclasses.MISSING:
        return Declared()
    if is_field(field.default):
        return declared_by_field(field.default)
    return Declared(required=False, default=default_of(field.default))


def _made(factory: Callable[..., object]) -> Any:
    return default_of(factory()) if factory in _FACTORIES else None


def _hints(cls: type) -> Mapping[str, Any]:
    """The evaluated annotations of a class, an ancestor's first. One that can't be evaluated stays as it is written."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except Exception:
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            names = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
            raw = inspect.get_annotations(base)
            found |= {**raw, **dict(evaluated(raw, names))}
        return found


def evaluated(raw: Mapping[str, Any], names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Annotations evaluated one by one; those that can't be are left out."""
    for name, annotation in raw.items():
        holder = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            yield from typing.get_type_hints(holder, names, include_extras=True).items()
        except Exception:
            continue


def _description(metadata: Sequence[Any]) -> str:
    """The first text among the metadata of `Annotated`: a string, `Field(description=…)` or `Doc(…)`."""
    for item in metadata:
        text = item if isinstance(item, str) else item.description if is_field(item) else None
        if canonical(_qualified(type(item))) in ("typing.Doc", "annotated_doc.Doc"):
            text = item.documentation
        if text:
            return str(text)
    return ""


def _qualified(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
