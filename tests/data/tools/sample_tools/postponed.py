# ruff: noqa
# fmt: off
"""Annotations that are never evaluated at definition, and names that exist for type checkers only."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Optional

try:
    from typing import NotRequired, TypedDict
except ImportError:
    from typing_extensions import NotRequired, TypedDict

from .models import City, Color

if TYPE_CHECKING:
    from somewhere import ToolContext

    from .models import Movie
else:
    Later = int


class Row(TypedDict):
    name: str
    size: NotRequired[int]


class Half(TypedDict):
    name: str
    movies: list[Movie]


class Loose(TypedDict, total=False):
    name: typing.Required[str]
    size: int


def future(a: int | None, b: Optional[City], c: list[Row], d: Loose, e: Color = Color.GREEN): ...


def checked(movie: Movie, tool_context: ToolContext, other: Optional[ToolContext] = None, later: Later = 1): ...


def partly_checked(movies: list[Movie], row: Half, size: int = 1): ...


@typing.no_type_check
def unchecked(a: int): ...


class Place:
    class Inner(TypedDict):
        a: int

    def method(self, inner: Inner, row: Row): ...
