# ruff: noqa
# fmt: off
"""Tools that take enums and records, their own and those of another module."""

from typing import Annotated, Literal, NamedTuple, Optional, TypedDict

from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass as checked

from . import models
from .models import (
    MOST,
    Camel,
    Celsius,
    City,
    Color,
    Computed,
    Level,
    Mode,
    Movie,
    Name,
    Names,
    Opaque,
    Outer,
    Partial,
    Point,
    Point3,
    Rights,
    Size,
    Step,
    Units,
)
from .models import Color as Colour

Described = Annotated[str, "What it is."]
TEXT = "A text by name."


class Pair(NamedTuple):
    a: int
    b: int


class Tree(TypedDict):
    value: int
    children: "list[Tree]"


@checked
class Checked:
    count: int = Field(3, description="How many.")
    names: list[str] = Field(default_factory=list)


class Wide(City):
    """A wide city.

    Args:
        width: How wide.
    """

    width: int
    name: str = "wide"


def enums(
    a: Color,
    b: Size,
    c: Mode,
    d: Step,
    e: Level = Level.LOW,
    f: Colour = Colour.GREEN,
    g: Optional[models.Color] = models.Color.RED,
    h: list[Color] = [Color.RED],
    i: Literal[Color.RED] = Color.RED,
    j: Rights = 1,
    k: str = Color.GREEN.value,
    l: str = models.Color.RED.value,
): ...


def typed_dicts(movie: Movie, part: Partial, tree: Tree): ...


def dataclasses(point: Point, space: Point3 | None = None): ...


def pydantic_models(city: City, wide: Wide, many: dict[str, list[models.City]]):
    """Two cities.

    Args:
        city: The first.
        wide: The second.
    """


def pydantic_dataclass(checked: Checked): ...


def nested_classes(a: Outer.Inner, b: Outer.Holder, c: "models.Outer.Inner"): ...


def derived(a: Name, b: Names, c: Opaque, d: Pair, e: Outer): ...


def through_names(a: Celsius, b: Units, c: int = MOST, d: int = models.MOST, e: int = Outer.LIMIT): ...


def annotated(
    a: Annotated[int, "A number."],
    b: Annotated[str, Field(description="A field.", min_length=1)],
    c: Annotated[Optional[int], "Maybe."] = None,
    d: Optional[Annotated[int, "Inside."]] = None,
    e: list[Annotated[str, "Each."]] = [],
    f: Described = "x",
    g: Annotated[int, Field(ge=1)] = 1,
    h: Annotated[int, TEXT] = 1,
    i: Annotated[Annotated[int, "Inner."], "Outer."] = 1,
    j: str = Field(description="On the right."),
    k: int = Field(default=4, description="With a default."),
    l: "Annotated[int, 'Quoted.']" = 1,
):
    """Texts.

    Args:
        a: Not this.
        g: This one.
    """


def known_at_run_only(a: Camel, b: Computed, c: int = len("abc"), d: Annotated[int, str("Made.")] = 1): ...
