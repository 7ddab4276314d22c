"""Types by the names under which Python's libraries define them: one table for source and for run time."""

from __future__ import annotations

from collections.abc import Sequence

from rolebook.definition.types import (
    ANYTHING,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    Array,
    Object,
    Plain,
    Type,
    tuple_of,
)

_PLAIN: dict[str, Type] = {
    **dict.fromkeys(("builtins.str", "builtins.bytes", "builtins.bytearray", "builtins.memoryview"), STRING),
    **dict.fromkeys(("typing.Text", "typing.AnyStr", "typing.LiteralString", "collections.UserString"), STRING),
    **dict.fromkeys(("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.WindowsPath"), STRING),
    **dict.fromkeys(("uuid.UUID", "datetime.date", "datetime.time", "datetime.timedelta"), STRING),
    **dict.fromkeys(("pydantic.AnyUrl", "pydantic.AnyHttpUrl", "pydantic.HttpUrl", "pydantic.EmailStr"), STRING),
    **dict.fromkeys(("pydantic.SecretStr", "pydantic.StrictStr"), STRING),
    "datetime.datetime": Plain("string", "date-time"),
    "builtins.bool": BOOLEAN,
    "pydantic.StrictBool": BOOLEAN,
    "builtins.int": INTEGER,
    **dict.fromkeys(("pydantic.PositiveInt", "pydantic.NonNegativeInt", "pydantic.StrictInt"), INTEGER),
    **dict.fromkeys(("pydantic.NegativeInt", "pydantic.NonPositiveInt"), INTEGER),
    "builtins.float": NUMBER,
    "decimal.Decimal": NUMBER,
    **dict.fromkeys(("pydantic.PositiveFloat", "pydantic.NonNegativeFloat", "pydantic.StrictFloat"), NUMBER),
    **dict.fromkeys(("pydantic.NegativeFloat", "pydantic.NonPositiveFloat", "pydantic.FiniteFloat"), NUMBER),
    **dict.fromkeys(("types.NoneType", "builtins.NoneType"), NULL),
    **dict.fromkeys(("builtins.object", "builtins.type", "typing.Any", "typing.Type", "typing.Hashable"), ANYTHING),
    **dict.fromkeys(("typing.Callable", "collections.Callable", "collections.Hashable"), ANYTHING),
    **dict.fromkeys(("typing.Never", "typing.NoReturn"), ANYTHING),
    "typing.NamedTuple": Array(ANYTHING),
    "collections.Counter": Object(INTEGER),
    "typing.Counter": Object(INTEGER),
}
_ARRAYS = frozenset(
    {
        *(f"builtins.{name}" for name in ("list", "set", "frozenset", "tuple")),
        *(f"typing.{name}" for name in ("List", "Set", "FrozenSet", "Tuple", "Deque", "AbstractSet")),
        *(f"collections.{name}" for name in ("deque", "Set", "UserList")),
        *(
            f"{package}.{name}"
            for package in ("typing", "collections")
            for name in (
                "Sequence",
                "MutableSequence",
                "Iterable",
                "Iterator",
                "Collection",
                "MutableSet",
                "Reversible",
            )
        ),
    }
)
_OBJECTS = frozenset(
    {
        "builtins.dict",
        *(f"typing.{name}" for name in ("Dict", "DefaultDict")),
        *(f"collections.{name}" for name in ("defaultdict", "UserDict")),
        *(
            f"{package}.{name}"
            for package in ("typing", "collections")
            for name in ("Mapping", "MutableMapping", "OrderedDict", "ChainMap")
        ),
    }
)
_TUPLES = frozenset({"builtins.tuple", "typing.Tuple"})


def canonical(qualified: str) -> str:
    """The name that the tables use: the package and the last part, since where in a package a class lives varies.

    `collections.abc.Sequence` is `collections.Sequence`, `typing_extensions.TypedDict` is `typing.TypedDict`.
    """
    package, _, last = qualified.rpartition(".")
    package = package.partition(".")[0].lstrip("_")
    return f"{'typing' if package == 'typing_extensions' else package}.{last}"


def named(qualified: str) -> Type | None:
    """The type of this name without type arguments; None where the tables don't have it."""
    name = canonical(qualified)
    if name in _ARRAYS:
        return Array(ANYTHING)
    return Object(ANYTHING) if name in _OBJECTS else _PLAIN.get(name)


def applied(qualified: str, arguments: Sequence[Type | None]) -> Type | None:
    """The type of `NAME[arguments]`, where None stands for `...`; None where the tables don't have it."""
    name = canonical(qualified)
    kinds = [argument if argument is not None else ANYTHING for argument in arguments]
    if name in _TUPLES and None not in arguments:
        return tuple_of(kinds)
    if name in _ARRAYS:
        return Array(kinds[0] if kinds else ANYTHING)
    if name in _OBJECTS:
        return Object(kinds[1] if len(kinds) > 1 else ANYTHING)
    return _PLAIN.get(name)
