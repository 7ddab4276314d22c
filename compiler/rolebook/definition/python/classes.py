"""Classes in source to types: enums, TypedDicts, dataclasses, pydantic models, and what derives from a plain type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from rolebook.definition.docstring import Docstring, parse_docstring
from rolebook.definition.python.lineage import Ancestor, Lineage, hides_names, lineage
from rolebook.definition.python.names import named
from rolebook.definition.python.scope import Context, Local
from rolebook.definition.python.values import ENUMS, declared, members, value_of
from rolebook.definition.signature import Declared, field_of
from rolebook.definition.types import INTEGER, Described, Field, Hole, Struct, Type, choice
from rolebook.record import replace
from rolebook.syntax.python import Call, ClassField, Constant, Expression, Subscript, parse_expression

Read: TypeAlias = Callable[[Expression | None, Context], Type]
"""Lowers an annotation in a context."""

_NO_FIELDS = frozenset({"typing.ClassVar", "dataclasses.InitVar", "dataclasses.KW_ONLY"})


def class_type(found: Local, context: Context, read: Read) -> Type:
    """The type of a class whose source is at hand. `read` lowers the annotations of its fields."""
    hole = Hole(found.binding.path)
    line = lineage(found)
    if line is None:
        return hole
    if line.root in ENUMS:
        values = members(line, context)
        return choice(values.values()) if values is not None else hole
    if line.root in ("enum.Flag", "enum.IntFlag"):
        return INTEGER
    read_field = _field_reader(line)
    if read_field is None:
        return named(line.root) or hole
    return context.unfolding.record(line.ancestors[-1].key, lambda: _record(line, context, read, read_field) or hole)


_ReadField: TypeAlias = Callable[[ClassField, Ancestor, Context], Declared | None]
"""What the right side of a field declares; None where it can't be told."""


def _field_reader(line: Lineage) -> _ReadField | None:
    """None for a class that is no record."""
    if line.root == "pydantic.BaseModel":
        return _model_field
    if line.root == "typing.TypedDict":
        return _dict_field
    return _dataclass_field if any(each.is_dataclass for each in line.ancestors) else None


def _record(line: Lineage, context: Context, read: Read, read_field: _ReadField) -> Struct | None:
    """The fields of all ancestors, the oldest first; one declared anew keeps its place. None if one can't be told."""
    docs = parse_docstring(line.cls.docstring)
    fields: dict[str, Field | None] = {}
    for ancestor in line.ancestors:
        if read_field is _model_field and hides_names(ancestor.cls):
            return None
        if read_field is _dataclass_field and not ancestor.is_dataclass:
            continue
        inside = replace(context, scope=ancestor.scope, inside=ancestor.cls.path, type_names=frozenset(), aliases=())
        for each in _annotated(ancestor, inside):
            found = read_field(each, ancestor, inside)
            if found is None:
                return None
            fields[each.name] = _field(each, found, inside, read, docs) if found.is_passed else None
    return Struct(line.cls.name, tuple(field for field in fields.values() if field is not None), docs.description)


def _annotated(ancestor: Ancestor, inside: Context) -> Iterator[ClassField]:
    for each in {each.name: each for each in ancestor.cls.fields if each.annotation is not None}.values():
        if _outermost(each.annotation, inside) not in _NO_FIELDS:
            yield each


def _field(each: ClassField, found: Declared, inside: Context, read: Read, docs: Docstring) -> Field:
    kind = read(each.annotation, inside)
    if isinstance(kind, Described) and found.description:  # pydantic has already merged what `Annotated` says
        kind = kind.type
    return field_of(each.name, kind, found, docs)


def _model_field(each: ClassField, _: Ancestor, inside: Context) -> Declared | None:
    if each.name.startswith("_"):
        return Declared(is_passed=False)
    found = declared(each.value, inside)
    text = ""
    for item in _metadata(each.annotation, inside):
        if isinstance(item, Call):
            other = declared(item, inside)
            is_field = inside.external(item.function) == "pydantic.Field"
            found = None if found is None or other is None else _merged(found, other) if is_field else found
        else:
            value = value_of(item, inside)
            found = None if isinstance(value, Hole) else found
            text = text or (value if isinstance(value, str) else "")
    return replace(found, description=text) if found is not None and text else found


def _dataclass_field(each: ClassField, _: Ancestor, inside: Context) -> Declared | None:
    return declared(each.value, inside)


def _dict_field(each: ClassField, ancestor: Ancestor, inside: Context) -> Declared | None:
    total = next((keyword.value for keyword in ancestor.cls.keywords if keyword.name == "total"), None)
    if total is not None and not (isinstance(total, Constant) and isinstance(total.value, bool)):
        return None
    required = not (isinstance(total, Constant) and total.value is False)
    annotation = each.annotation
    while True:
        match _outermost(annotation, inside):
            case "typing.Required":
                return Declared(required=True)
            case "typing.NotRequired":
                return Declared(required=False)
            case "typing.Annotated" | "typing.ReadOnly":
                annotation = _unquoted(annotation)
                annotation = annotation.items[0] if isinstance(annotation, Subscript) and annotation.items else None
            case _:
                return Declared(required=required)


def _merged(right: Declared, other: Declared) -> Declared:
    """What stands after `=` goes before what stands in `Annotated`."""
    is_given = not right.required
    return Declared(
        right.required and other.required,
        right.default if is_given else other.default,
        right.description or other.description,
        right.name or other.name,
    )


def _metadata(annotation: Expression | None, inside: Context) -> tuple[Expression, ...]:
    annotation = _unquoted(annotation)
    if not isinstance(annotation, Subscript) or inside.external(annotation.base) != "typing.Annotated":
        return ()
    return annotation.items[1:]


def _outermost(annotation: Expression | None, inside: Context) -> str:
    """The library's name of an annotation, or of what is subscripted in it."""
    annotation = _unquoted(annotation)
    if isinstance(annotation, Subscript):
        annotation = annotation.base
    return inside.external(annotation) if annotation is not None else ""


def _unquoted(annotation: Expression | None) -> Expression | None:
    if isinstance(annotation, Constant) and isinstance(annotation.value, str):
        return parse_expression(annotation.value)
    return annotation
