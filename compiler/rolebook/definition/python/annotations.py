"""Annotations in source to types. Names are looked up in the module that holds them; what isn't found is a hole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rolebook.definition.python.classes import class_type
from rolebook.definition.python.names import applied, named
from rolebook.definition.python.scope import Context, External, Local
from rolebook.definition.python.values import declared, value_of
from rolebook.definition.types import ANYTHING, NULL, Described, Hole, Type, choice, union
from rolebook.syntax.python import (
    Assignment,
    Call,
    Class,
    Collection,
    Constant,
    Either,
    Expression,
    Name,
    Subscript,
    parse_expression,
    source_of,
)

_TRANSPARENT = frozenset(
    f"{package}.{name}"
    for package, name in (
        *(("typing", name) for name in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly")),
        ("dataclasses", "InitVar"),
    )
)
_DOCS = frozenset({"typing.Doc", "annotated_doc.Doc"})
_WITHOUT_TEXT = ("annotated_types.", "pydantic.")


def type_of(annotation: Expression | None, context: Context) -> Type:
    """The type that a whole annotation means; anything where it is missing.

    One name in it that isn't found makes all of it a hole: Python evaluates an annotation as a whole or not at all.
    """
    if annotation is None:
        return ANYTHING
    if any(context.find(name) is None for name in _names(annotation, context)):
        return Hole(source_of(annotation))
    return _read(annotation, context)


def _names(annotation: Expression, context: Context) -> Iterator[str]:
    """The names of types in an annotation, those of constants and metadata left out."""
    match annotation:
        case Name(dotted=dotted):
            yield dotted
        case Constant(value=str() as quoted) if (inner := parse_expression(quoted)) is not None:
            yield from _names(inner, context)
        case Either(left=left, right=right):
            yield from _names(left, context)
            yield from _names(right, context)
        case Collection(items=items):
            for item in items:
                yield from _names(item, context)
        case Subscript(base=base, items=items):
            yield from _names(base, context)
            name = context.external(base)
            for item in () if name == "typing.Literal" else items[:1] if name == "typing.Annotated" else items:
                yield from _names(item, context)


def _read(annotation: Expression, context: Context) -> Type:
    match annotation:
        case Constant(value=None):
            return NULL
        case Constant(value=str() as quoted):
            inner = parse_expression(quoted)
            return _read(inner, context) if inner is not None else Hole(quoted)
        case Either(left=left, right=right):
            return union((_read(left, context), _read(right, context)))
        case Name(dotted=dotted):
            return _named(dotted, context)
        case Subscript():
            return _applied(annotation, context)
    return Hole(source_of(annotation))


def class_names(annotation: Expression | None, context: Context) -> Iterator[str]:
    """The last names of the classes that an annotation allows, through unions and `Annotated`."""
    match annotation:
        case Constant(value=str() as quoted):
            yield from class_names(parse_expression(quoted), context)
        case Either(left=left, right=right):
            yield from class_names(left, context)
            yield from class_names(right, context)
        case Subscript(base=base, items=items):
            match context.external(base):
                case "typing.Optional" | "typing.Union":
                    for item in items:
                        yield from class_names(item, context)
                case "typing.Annotated":
                    yield from class_names(items[0] if items else None, context)
                case _:
                    yield from class_names(base, context)
        case Name(dotted=dotted):
            found = context.find(dotted)
            if isinstance(found, Local) and isinstance(found.binding, Assignment):
                inner = context.within(found)
                yield from class_names(found.binding.value, inner) if inner is not None else ()
            else:
                name = (
                    found.name if isinstance(found, External) else found.binding.path if found is not None else dotted
                )
                yield name.rpartition(".")[2]


def _named(dotted: str, context: Context) -> Type:
    hole = Hole(dotted)
    found = context.find(dotted)
    if isinstance(found, External):
        return named(found.name) or hole
    if found is None:
        return hole
    if isinstance(found.binding, Class):
        return class_type(found, context, type_of)
    inner = context.within(found)
    if inner is None or not isinstance(found.binding, Assignment):
        return hole
    return _alias(found.binding.value, inner) or hole


def _alias(value: Expression | None, context: Context) -> Type | None:
    """The type that a name was given, a NewType by what it stands on; None for what is no type.

    A quoted one is none either: Python reads it in the module that uses it, and not at all in `Name | None`.
    """
    match value:
        case Name() | Subscript() | Either() | Constant(value=None):
            return _read(value, context)
        case Call(function=function, arguments=[_, *rest]):
            match context.external(function):
                case "typing.NewType" if len(rest) == 1:
                    return _read(rest[0], context)
                case "typing.TypeVar":
                    bound = value.keyword("bound")
                    return union([_read(each, context) for each in rest]) if rest else type_of(bound, context)
    return None


def _applied(annotation: Subscript, context: Context) -> Type:
    name, items = context.external(annotation.base), annotation.items
    hole = Hole(source_of(annotation))
    if not items:
        return applied(name, ()) or hole  # `tuple[()]`
    match name:
        case "":
            return hole
        case "typing.Optional":
            return union((_read(items[0], context), NULL))
        case "typing.Union":
            return union([_read(item, context) for item in items])
        case "typing.Literal":
            values = list(_literals(items, context))
            return hole if any(isinstance(value, Hole) for value in values) else choice(values)
        case "typing.Annotated":
            inner, text = _read(items[0], context), _description(items[1:], context)
            return Described(inner, text) if text and not isinstance(inner, Described) else inner
        case _ if name in _TRANSPARENT:
            return _read(items[0], context)
    if named(name) is None:
        return hole
    is_rest = [isinstance(item, Constant) and item.value is ... for item in items]
    kinds = [None if rest else _read(item, context) for item, rest in zip(items, is_rest, strict=True)]
    return applied(name, kinds) or hole


def _literals(items: Sequence[Expression], context: Context) -> Iterator[object]:
    """The values of `Literal[items]`, those of a Literal inside included."""
    for item in items:
        found = context.find(item.dotted) if isinstance(item, Name) else None
        if isinstance(item, Subscript) and context.external(item.base) == "typing.Literal":
            yield from _literals(item.items, context)
        elif isinstance(found, Local) and isinstance(found.binding, Assignment):
            inner = context.within(found)
            value = found.binding.value
            yield from (
                _literals((value,), inner) if inner is not None and isinstance(value, Subscript) else (Hole("?"),)
            )
        else:
            yield value_of(item, context)


def _description(metadata: Sequence[Expression], context: Context) -> str | Hole:
    """The first text among the metadata of `Annotated`: a string, `Field(description=…)` or `Doc(…)`."""
    for item in metadata:
        text = _text(item, context)
        if text:
            return text
    return ""


def _text(item: Expression, context: Context) -> str | Hole:
    match item:
        case Constant(value=value):
            return value if isinstance(value, str) else ""
        case Call(function=function, arguments=arguments):
            name = context.external(function)
            if name == "pydantic.Field":
                field = declared(item, context)
                return field.description if field is not None else Hole(source_of(item))
            if name in _DOCS and len(arguments) == 1:
                value = value_of(arguments[0], context)
                return value if isinstance(value, str | Hole) else ""
            return "" if name.startswith(_WITHOUT_TEXT) else Hole(source_of(item))
        case Name(dotted=dotted):
            found = context.find(dotted)
            inner = context.within(found) if isinstance(found, Local) else None
            if isinstance(found, Local) and inner is not None and isinstance(found.binding, Assignment):
                return _text(found.binding.value, inner) if found.binding.value is not None else Hole(dotted)
    return Hole(source_of(item))
