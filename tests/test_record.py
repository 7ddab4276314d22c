"""Records are what frozen, slotted dataclasses are."""

from __future__ import annotations

import pickle
from functools import cached_property

import pytest

from rolebook.record import Record, field, fields, replace


class Point(Record):
    """A point."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)

    @property
    def sum(self) -> int:
        return self.x + self.y


class Pixel(Record):
    x: int
    y: int = 0


class Sized(Record, caches=True):
    text: str

    @cached_property
    def length(self) -> int:
        return len(self.text)


class Empty(Record):
    pass


def test_fields_are_given_by_place_or_name() -> None:
    assert (Point(1).y, Point(1, y=2).sum, Point(1).tags) == (0, 3, [])
    with pytest.raises(TypeError, match="x"):
        Point()  # type: ignore[call-arg]


def test_a_default_that_is_made_is_made_anew() -> None:
    assert Point(1).tags is not Point(1).tags


def test_records_are_frozen_and_have_no_other_attributes() -> None:
    point = Point(1)
    for name in ("x", "other"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(point, name, 2)
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    assert not hasattr(point, "__dict__")


def test_equal_are_records_of_one_class_with_equal_fields() -> None:
    assert Pixel(1, 2) == Pixel(1, 2) != Pixel(1, 3)
    assert hash(Pixel(1, 2)) == hash(Pixel(1, 2))
    assert Pixel(1) != Point(1) and Pixel(1) != (1, 0)
    assert Empty() == Empty()


def test_they_match_by_place() -> None:
    match Pixel(1, 2):
        case Pixel(x, y):
            assert (x, y) == (1, 2)


def test_replace_fields_repr_and_pickle() -> None:
    assert replace(Pixel(1, 2), y=5) == Pixel(1, 5)
    assert fields(Pixel) == fields(Pixel(1)) == ("x", "y")
    assert repr(Pixel(1, 2)) == "Pixel(x=1, y=2)"
    assert pickle.loads(pickle.dumps(Pixel(1, 2))) == Pixel(1, 2)


def test_one_that_caches_is_frozen_all_the_same() -> None:
    sized = Sized("abc")
    assert sized.length == sized.length == 3
    with pytest.raises(AttributeError, match="frozen"):
        sized.text = "x"  # type: ignore[misc]
