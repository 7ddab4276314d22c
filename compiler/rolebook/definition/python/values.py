"""Default values, enum members and `Field(…)` in source."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from rolebook.definition.python.lineage import Lineage, lineage
from rolebook.definition.python.names import named
from rolebook.definition.python.scope import Context, Local
from rolebook.definition.signature import Declared, default_of
from rolebook.definition.types import Default, Hole
from rolebook.record import replace
from rolebook.syntax.python import (
    Assignment,
    Call,
    Class,
    Collection,
    Constant,
    Dictionary,
    Expression,
    Name,
    Other,
    source_of,
)

ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.ReprEnum"})
_FIELDS = frozenset({"pydantic.Field", "dataclasses.field"})
_FACTORIES: Mapping[str, object] = {"builtins.list": [], "builtins.dict": {}, "builtins.str": "", "builtins.tuple": []}
_OWN_CONSTRUCTION = frozenset({"__new__", "__init__", "_generate_next_value_"})
_MIXINS: Mapping[str, type] = {
    "builtins.str": str,
    "enum.StrEnum": str,
    "builtins.int": int,
    "enum.IntEnum": int,
    "builtins.float": float,
}


def value_of(made: Expression, context: Context) -> object:
    """The Python value of an expression, an enum member by its value; a `Hole` where that can't be told."""
    match made:
        case Constant(value=value):
            return value
        case Collection(kind="set"):
            return set()
        case Collection(items=items):
            values = [value_of(item, context) for item in items]
            return next((value for value in values if isinstance(value, Hole)), values)
        case Dictionary(entries=entries):
            pairs = [(value_of(key, context), value_of(value, context)) for key, value in entries]
            if any(isinstance(part, Hole) for pair in pairs for part in pair):
                return Hole(source_of(made))
            return dict(pairs) if all(isinstance(key, str | int | float | None) for key, _ in pairs) else set()
        case Name(dotted=dotted):
            return _named(dotted, context)
    return Hole(source_of(made))


def declared(right: Expression | None, context: Context) -> Declared | None:
    """What `= right` declares; None where it may be a `Field(…)` that can't be seen, or none."""
    if right is None:
        return Declared()
    if isinstance(right, Call):
        called = context.external(right.function)
        if called in _FIELDS:
            return _field(right, context)
        found = context.find(right.function.dotted) if isinstance(right.function, Name) else None
        is_type = (
            called.startswith("annotated_types.")
            or named(called) is not None
            or (isinstance(found, Local) and isinstance(found.binding, Class))
        )
        return Declared(required=False, default=Hole(source_of(right))) if is_type else None
    value = value_of(right, context)
    if not isinstance(value, Hole):
        return Declared(required=False, default=default_of(value))
    return Declared(required=False, default=value) if isinstance(right, Other | Collection | Dictionary) else None


def members(line: Lineage, context: Context) -> dict[str, object] | None:
    """The members of an enum that was met in `context`, by their names and without aliases; None where these can't be
    told."""
    if any(_OWN_CONSTRUCTION & set(each.cls.methods) for each in line.ancestors):
        return None
    kind = _MIXINS.get(line.mixin or line.root)
    if line.mixin and kind is None:
        return None
    own = line.ancestors[-1]
    around = context.within(Local(own.cls, own.scope))
    if around is None:
        return None
    inside = replace(around, inside=own.cls.path)
    found: dict[str, object] = {}
    known: set[object] = set()
    numbers = _Numbers()
    for each in own.cls.fields:
        if each.value is None or _is_reserved(each.name):
            continue
        value = value_of(each.value, inside)
        if isinstance(each.value, Call) and inside.external(each.value.function) == "enum.auto":
            value = each.name.lower() if kind is str else numbers.next() if kind in (None, int) else Hole("auto()")
        if isinstance(value, Hole) or (kind is not None and type(value) is not kind):
            return None
        same = value if isinstance(value, Hashable) else repr(value)
        if same in known:
            continue
        known.add(same)
        found[each.name] = value
        numbers.add(value)
    return found


def _named(dotted: str, context: Context) -> object:
    """The value of a name. A list or a dict that has one may have changed by the time a run looks at it."""
    found = context.find(dotted)
    if isinstance(found, Local) and isinstance(found.binding, Assignment):
        value, inner = found.binding.value, context.within(found)
        is_fixed = isinstance(value, Constant | Name) or (isinstance(value, Collection) and value.kind == "tuple")
        return value_of(value, inner) if is_fixed and value is not None and inner is not None else Hole(dotted)
    return _member(dotted.removesuffix(".value"), context)


def _member(dotted: str, context: Context) -> object:
    owner, _, last = dotted.rpartition(".")
    found = context.find(owner) if owner else None
    line = lineage(found) if isinstance(found, Local) and isinstance(found.binding, Class) else None
    if line is not None and line.root in ENUMS:
        return (members(line, context) or {}).get(last, Hole(dotted))
    return Hole(dotted)


class _Numbers:
    """What `auto()` counts on from. Where the last value isn't the highest integer, Python's version decides."""

    def __init__(self) -> None:
        self._highest: int | None = None
        self._others = False
        self._last_is_highest = True

    def add(self, value: object) -> None:
        if isinstance(value, int) and not isinstance(value, bool):
            self._last_is_highest = self._highest is None or value > self._highest
            self._highest = value if self._last_is_highest else self._highest
        else:
            self._others = True

    def next(self) -> object:
        return Hole("auto()") if self._others or not self._last_is_highest else (self._highest or 0) + 1


def _is_reserved(name: str) -> bool:
    return name.startswith("__") or (name.startswith("_") and name.endswith("_"))


def _field(call: Call, context: Context) -> Declared | None:
    """A pydantic `Field(…)` or a dataclass's `field(…)`."""
    init, text = call.keyword("init"), call.keyword("description")
    alias = call.keyword("validation_alias") or call.keyword("alias")
    name = value_of(alias, context) if alias is not None else None
    if not isinstance(name, str | None):
        return None
    description: str | Hole = ""
    if text is not None:
        value = value_of(text, context)
        description = value if isinstance(value, str | Hole) else ""
    required, default = _default(call, context)
    is_passed = not (isinstance(init, Constant) and init.value is False)
    return Declared(required, default, description, name, is_passed)


def _default(call: Call, context: Context) -> tuple[bool, Default | Hole | None]:
    factory, given = call.keyword("default_factory"), call.keyword("default")
    if factory is not None:
        name = context.external(factory)
        return False, default_of(_FACTORIES[name]) if name in _FACTORIES else None
    given = given or (call.arguments[0] if call.arguments else None)
    if given is None or (isinstance(given, Constant) and given.value is ...):
        return True, None
    value = value_of(given, context)
    return False, value if isinstance(value, Hole) else default_of(value)
