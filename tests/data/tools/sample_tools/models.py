# ruff: noqa
# fmt: off
"""Classes that tools of other modules take."""

import enum
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum, auto
from typing import Annotated, Any, ClassVar, Literal, NotRequired, Optional, Required, TypedDict

import pydantic
from pydantic import BaseModel, Field

MOST = 25
Celsius = float
Units = Literal["metric", "imperial"]


class Color(Enum):
    RED = "red"
    GREEN = "green"
    CRIMSON = "red"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Mode(StrEnum):
    FAST = auto()
    SLOW = "slowly"


class Step(enum.Enum):
    FIRST = enum.auto()
    SECOND = enum.auto()


class Level(str, Enum):
    LOW = "low"
    HIGH = "high"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Computed(Enum):
    ONE = len("x")


class Movie(TypedDict):
    """A film.

    Attributes:
        title: Its title
            in full.
    """

    title: str
    year: NotRequired[int]


class Partial(Movie, total=False):
    rating: float
    seen: Required[bool]


@dataclass
class Point:
    x: float
    y: float = 0.0
    labels: list[str] = field(default_factory=list)
    made: int = field(default=MOST)
    later: str = field(default_factory=lambda: "now")
    hidden: int = field(default=0, init=False)
    count: ClassVar[int] = 0


@dataclass(kw_only=True)
class Point3(Point):
    """A point in space."""

    z: float
    x: int = 1


class Base(BaseModel):
    id: int


class City(Base):
    """A city."""

    name: str = Field(description="Its name.")
    country: Optional[str] = None
    size: Annotated[int, Field(ge=1, description="Inhabitants.")] = 1
    code: str = Field("x", alias="cityCode")
    tags: list[str] = Field(default_factory=list)
    color: Color = Color.RED
    note: Annotated[str, "A remark."] = ""
    near: "list[City]" = []
    kind: Annotated[str, Field(default="town")]
    anything: Any = pydantic.Field(...)
    _private: int = 3
    model_config = {"frozen": True}

    def label(self, language: str) -> str:
        return self.name + language


class Camel(BaseModel):
    model_config = {"alias_generator": str.upper}
    name: str


class Outer:
    """No record, but a place."""

    LIMIT = 3

    class Inner(BaseModel):
        value: int

    class Holder(BaseModel):
        inner: "Outer.Inner"


class Name(str):
    pass


class Names(list):
    pass


class Opaque:
    value: int = 1
