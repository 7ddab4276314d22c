"""Sources that are written to exhaust a reader: long chains, doubling aliases, imports in circles, huge constants."""

from __future__ import annotations

from rolebook.definition.python import Scope, read_signature
from rolebook.definition.signature import Signature
from rolebook.definition.types import ANYTHING, Array, Choice, Field, Hole, choice, union
from rolebook.syntax.python import Function, parse_module


def signature(source: str) -> Signature:
    scope = Scope(parse_module(source), "hostile")
    function = scope.module.find("tool")
    assert isinstance(function, Function)
    return read_signature(function, scope)


def first(source: str) -> Field:
    found = signature(source)
    assert not isinstance(found.parameters, Hole)
    return found.parameters[0]


def chain(count: int, link: str) -> str:
    """`A0 = int`, and each further alias made from the one before it."""
    return "A0 = int\n" + "".join(f"A{n} = {link.replace('X', f'A{n - 1}')}\n" for n in range(1, count))


def test_a_long_chain_of_aliases_is_a_hole() -> None:
    assert isinstance(first(chain(2_000, "X") + "def tool(a: A1999): ...").type, Hole)


def test_a_short_chain_is_followed() -> None:
    assert first(chain(5, "list[X]") + "def tool(a: A2): ...").type == Array(Array(first("def tool(a: int): ...").type))


def test_aliases_that_double_are_given_up() -> None:
    assert signature(chain(60, "dict[str, X] | list[X]") + "def tool(a: A59): ...").name == "tool"
    assert signature(chain(60, "tuple[X, X]") + "def tool(a: A59): ...").name == "tool"


def test_default_values_that_double_are_given_up() -> None:
    assert isinstance(first("A0 = (1, 1)\n" + chain(60, "(X, X)")[9:] + "def tool(a=A59): ...").default, Hole)


def test_enums_that_lean_on_each_other_are_given_up() -> None:
    enums = "".join(f"class E{n}(Enum):\n  A = E{n - 1}.A.value\n  B = E{n - 1}.A.value\n" for n in range(1, 300))
    source = f"from enum import Enum\nclass E0(Enum):\n  A = 1\n{enums}def tool(a: E299): ..."
    assert signature(source).name == "tool"


def test_records_in_records_end() -> None:
    records = "".join(f"class C{n}(TypedDict):\n  one: C{n - 1}\n  two: C{n - 1}\n" for n in range(1, 400))
    source = f"from typing import TypedDict\nclass C0(TypedDict):\n  a: int\n{records}def tool(a: C399): ..."
    assert signature(source).name == "tool"


def test_what_nests_in_each_way_at_once_is_a_hole() -> None:
    nested = "list[" * 40 + "X" + "]" * 40
    assert signature(chain(9, nested) + "def tool(a: A8): ...").name == "tool"


def test_modules_that_import_each_other_many_times_end() -> None:
    modules: dict[str, Scope] = {}
    for name, other in (("one", "two"), ("two", "one")):
        modules[name] = Scope(parse_module(f"from {other} import *\n" * 3), name, load=modules.get)
    assert modules["one"].find("missing") is None


def test_many_constants_are_each_taken_once() -> None:
    made = choice([*range(30_000), *range(30_000)])
    assert isinstance(made, Choice) and len(made.values) == 30_000
    assert choice([1, True, 1.0, 1]) == Choice((1, True, 1.0))


def test_many_members_of_a_union_are_each_taken_once() -> None:
    kinds = [Choice((number,)) for number in range(5_000)]
    assert union([*kinds, *kinds]) == union(kinds)
    assert union([ANYTHING, *kinds]) == ANYTHING


def test_an_enum_of_many_members_counts_on() -> None:
    members = "".join(f"  M{n} = auto()\n" for n in range(5_000))
    found = first(f"from enum import Enum, auto\nclass E(Enum):\n  A = -5\n{members}def tool(a: E): ...").type
    assert found == Choice((-5, *range(-4, 4_996)))
