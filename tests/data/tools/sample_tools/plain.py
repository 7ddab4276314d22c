# ruff: noqa
# fmt: off
"""Signatures of plain types, and every kind of parameter."""

import collections.abc
import datetime as dt
import decimal
import pathlib
import typing
import typing as t
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Dict, List, Literal, NewType, Optional, Tuple, TypeVar, Union
from typing import Optional as Maybe

LIMIT = 10
NAMES = ["a", "b"]
PAIR = (1, "b")
UserId = NewType("UserId", str)
T = TypeVar("T")
Small = TypeVar("Small", bound=int)
Either = TypeVar("Either", int, str)
Id = int | str
Nested = Optional[Id]
Json = "dict[str, int]"


class ToolContext:
    state: dict


class Other:
    class Context:
        pass


def get_weather(city: str, unit: str = "celsius") -> str:
    """Get the weather of a city."""
    return city + unit


def no_docstring(a, b=1, *args, c, d=None, **kwargs): ...


def kinds(a: int, /, b: float, *, c: bool = True) -> None:
    """Every kind."""


def defaults(
    text: str = "a" "b",
    negative: int = -1,
    number: float = 1.5,
    big: int = 1_000,
    hexadecimal: int = 0xFF,
    yes: bool = True,
    nothing: str | None = None,
    items: list = [1, "a", None, [True]],
    pair: tuple = (1, 2),
    table: dict = {"a": {"b": 1}},
    limit: int = LIMIT,
    pairs: tuple = PAIR,
    infinite: float = 1e999,
    numbered: dict = {1: "a"},
    some: set = {1},
): ...


def computed_defaults(
    product: int = 60 * 60, names: list[str] = NAMES, path: pathlib.Path = pathlib.Path("x"), text: str = f"{LIMIT}", data: bytes = b"x"
): ...


def optional(
    a: Optional[int],
    b: int | None,
    c: Union[int, None, str],
    d: None | int,
    e: t.Optional[str] = None,
    f: Maybe[bool] = None,
    g: Union[int] = 1,
    h: Optional[Any] = None,
    i: Union[List[int], list[int], Dict[str, int]] = [],
    j: int | bool | float | str = 1,
): ...


def literals(
    a: Literal["x", "y"],
    b: Literal[1, 2],
    c: Literal[True],
    d: Literal["x", None],
    e: Literal[1, "x"],
    f: Literal[Literal["a"], "b"] = "a",
    g: Optional[Literal["on", "off"]] = None,
    h: t.Literal[1, True] = 1,
): ...


def arrays(
    a: list[str],
    b: List[int],
    c: set[str],
    d: frozenset[int],
    e: tuple[int, ...],
    f: tuple[int, str],
    g: Tuple[float, float],
    h: Sequence[str],
    i: collections.abc.Iterable[int],
    j: list,
    k: tuple,
    l: tuple[()],
    m: list[list[int | None]],
    n: typing.Deque[int],
    o: List,
): ...


def objects(
    a: dict,
    b: dict[str, int],
    c: Dict[str, Any],
    d: Mapping[str, list[int]],
    e: typing.MutableMapping[str, str],
    f: collections.OrderedDict[str, bool],
    g: dict[str, dict[str, float]],
): ...


def special(
    a: bytes,
    b: datetime,
    c: dt.date,
    d: dt.timedelta,
    e: uuid.UUID,
    f: decimal.Decimal,
    g: pathlib.Path,
    h: Callable[[int], str],
    i: type[int],
    j: object,
    k: Any,
    l: None,
    m: "date",
    n: typing.Hashable,
): ...


def aliases(a: UserId, b: Id, c: Nested, d: T, e: Small, f: Either, g: Json, h: "Optional[Id]"): ...


def quoted(a: "int", b: "list['str']", c: Optional["str"], d: "int | None" = None): ...


def contexts(
    city: str,
    tool_context: Any,
    where: ToolContext,
    maybe: Optional[ToolContext] = None,
    quoted: "ToolContext | None" = None,
    other: Other.Context = None,
    context=None,
): ...


async def asynchronous(city: str) -> str:
    """Asynchronous."""
    return city


def generator(count: int):
    """Generates."""
    yield count


async def async_generator(count: int):
    def inner():
        yield 1

    yield count


def no_generator(count: int):
    def inner():
        yield 1

    return inner


def unicode(größe: int, ﬁ: str = "é\u00e9\N{BULLET}🙂") -> None:
    "Grüße 🙂 \\ \x41"


class Weather:
    def get(self, city: str) -> str:
        """Get it."""
        return city

    @staticmethod
    def static(city: str): ...

    @classmethod
    def made(cls, city: str): ...

    def mangled(self, __secret: int, __dunder__: int): ...

    class Deep:
        def down(self, a: int = 1): ...
