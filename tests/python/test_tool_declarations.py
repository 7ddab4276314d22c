"""A tool has one declaration, whether it is read from source or found on the imported function.

The tools stand in `data/tools/sample_tools`, what the model is told of them in `data/tools/expected.json`.
"""

import importlib
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rolebook.definition.declaration import Declaration
from rolebook.definition.python import Scope, read_signature
from rolebook.definition.signature import Signature, declaration
from rolebook.definition.types import Hole
from rolebook.syntax.python import Function, parse_module
from rolebook_runner.declare import signature_of

TOOLS = Path(__file__).parent.parent / "data" / "tools"
EXPECTED = json.loads((TOOLS / "expected.json").read_text(encoding="utf-8"))
NAMES = [(module, path) for module, tools in EXPECTED.items() for path in tools]
"""`ROLEBOOK_UPDATE=1 pytest` writes `expected.json` anew from the imported functions, to be read before it is kept."""

HOLES = {
    "plain.computed_defaults": {
        "/product/default": "60 * 60",
        "/names/default": "NAMES",
        "/path/default": "pathlib.Path('x')",
        "/text/default": 'f"{LIMIT}"',
        "/data/default": 'b"x"',
    },
    "plain.aliases": {"/g": "Json"},
    "records.through_names": {"/e/default": "Outer.LIMIT"},
    "records.known_at_run_only": {
        "/a": "Camel",
        "/b": "Computed",
        "/c/default": "len('abc')",
        "/d/description": "str('Made.')",
    },
    "postponed.checked": {"/movie": "Movie"},
    "postponed.partly_checked": {"/movies": "list[Movie]", "/row/movies": "list[Movie]"},
    "postponed.unchecked": {"": "@typing.no_type_check unchecked(…)"},
    "postponed.Place.method": {"/inner": "Inner"},
    "decorated.lost": {"": "@replaced lost(…)"},
}
"""What reading can't know, and nothing else: by the place in the parameters."""


def scope_of(name: str, known: dict[str, Scope | None] = {}) -> Scope | None:  # noqa: B006
    if name not in known:
        base = TOOLS.joinpath(*name.split("."))
        package = base / "__init__.py"
        path = package if package.is_file() else base.with_suffix(".py")
        known[name] = None
        if path.is_file():
            known[name] = Scope(parse_module(path.read_text(encoding="utf-8")), name, path is package, scope_of)
    return known[name]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))


def read(module: str, path: str) -> Signature:
    scope = scope_of(f"sample_tools.{module}")
    assert scope is not None
    function = scope.module.find(path)
    assert isinstance(function, Function)
    return read_signature(function, scope)


def imported(module: str, path: str) -> Any:
    found: Any = importlib.import_module(f"sample_tools.{module}")
    for part in path.split("."):
        found = getattr(found, part)
    return found


def told(signature: Signature) -> Any:
    made = declaration(signature)
    return made.to_json() if isinstance(made, Declaration) else {"hole": made.name}


def holes(read: Any, run: Any, place: str = "") -> dict[str, str]:
    """Where `read` has a hole. Everywhere else it is what `run` is, also in the order of keys."""
    if isinstance(read, dict) and "hole" in read:
        return {place: read["hole"]}
    if not isinstance(read, dict):
        assert json.dumps(read) == json.dumps(run), place
        return {}
    unknown = {key for key, value in read.items() if isinstance(value, dict) and "hole" in value}
    assert [key for key in read if key in run or key not in unknown] == list(run), place
    found: dict[str, str] = {}
    for key, value in read.items():
        inner = place if key in ("parameters", "properties") else f"{place}/{key}"
        found |= holes(value, run.get(key), inner)
    return found


@pytest.mark.parametrize(("module", "path"), NAMES, ids=[".".join(name) for name in NAMES])
def test_both_sides_tell_the_model_the_same(module: str, path: str) -> None:
    from_source, from_function = read(module, path), signature_of(imported(module, path))
    assert json.dumps(told(from_function)) == json.dumps(EXPECTED[module][path])
    assert holes(told(from_source), EXPECTED[module][path]) == HOLES.get(f"{module}.{path}", {})
    if f"{module}.{path}" != "decorated.lost":
        assert (from_source.is_async, from_source.is_generator) == (from_function.is_async, from_function.is_generator)


def test_every_tool_is_expected() -> None:
    found: dict[str, dict[str, Any]] = {}
    for module in EXPECTED:
        scope = scope_of(f"sample_tools.{module}")
        assert scope is not None
        paths = [function.path for function in scope.module.functions if not function.name.startswith("__")]
        found[module] = {path: told(signature_of(imported(module, path))) for path in paths}
    if os.environ.get("ROLEBOOK_UPDATE"):
        text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
        (TOOLS / "expected.json").write_text(text, encoding="utf-8")
    assert [(module, path) for module, tools in found.items() for path in tools] == NAMES


def test_async_functions_and_generators_are_known() -> None:
    kinds = {path: read("plain", path) for path in ("asynchronous", "generator", "async_generator", "no_generator")}
    assert [(each.is_async, each.is_generator) for each in kinds.values()] == [
        (True, False),
        (False, True),
        (True, True),
        (False, False),
    ]


def test_a_tool_can_have_another_name() -> None:
    scope = scope_of("sample_tools")
    assert scope is not None
    found = scope.find("forecast")
    assert found is not None and isinstance(found.binding, Function)  # type: ignore[union-attr]
    assert read_signature(found.binding, found.scope, "forecast").name == "forecast"  # type: ignore[union-attr]
    assert signature_of(imported("plain", "get_weather"), "forecast").name == "forecast"


def test_callables_that_are_no_functions() -> None:
    module = importlib.import_module("sample_tools.decorated")
    lookup = signature_of(module.lookup)
    assert (lookup.name, lookup.description) == ("Lookup", "Looks up.")
    assert told(lookup)["parameters"]["required"] == ["word"]
    assert told(signature_of(module.bound)) == told(signature_of(module.Lookup.bound))
    part = told(signature_of(partial(module.kept, city="x"), "part"))
    assert part["parameters"]["properties"] == {"city": {"type": "string", "default": "x"}}
    assert part["name"] == "part"


def test_what_can_not_be_called_or_has_no_signature() -> None:
    with pytest.raises(TypeError):
        signature_of(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        signature_of(max)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("Unknown", {"hole": "Unknown"}),
        ("other.Thing", {"hole": "other.Thing"}),
        ("list[other.Thing]", {"type": "array", "items": {"hole": "other.Thing"}}),
        ("list[other.Thing | None]", {"type": "array", "items": {"hole": "other.Thing"}}),
        (
            "list[other.Thing] | None",
            {"anyOf": [{"type": "array", "items": {"hole": "other.Thing"}}, {"type": "null"}]},
        ),
        ("list[other.Thing] | list[int]", {"hole": "other.Thing"}),
        ("list[Unknown]", {"hole": "list[Unknown]"}),
        ("dict[str, 'Unknown']", {"hole": "dict[str, 'Unknown']"}),
        ("Optional[int]", {"hole": "Optional[int]"}),
        ("Either", {"hole": "Either"}),
        ("Same", {"type": "array", "items": {}}),
        ("Loop", {"type": "array", "items": {"hole": "Loop"}}),
        ("Checked", {"hole": "Checked"}),
        ("int.real", {"hole": "int.real"}),
        ("lambda: 1", {"hole": "lambda: 1"}),
        ("'not an('", {"hole": "not an("}),
        ("3", {"hole": "3"}),
        ("Odd", {"hole": "Odd"}),
        ("Mixed", {"hole": "Mixed"}),
        ("Flow", {"hole": "Flow"}),
        ("Factory", {"hole": "Factory"}),
        ("Child", {"hole": "Child"}),
        ("Alias", {"type": "integer"}),
        ("Modern", {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ],
)
def test_what_reading_can_not_know_is_a_hole(annotation: str, schema: object) -> None:
    source = f"""
import other
from enum import Enum
from dataclasses import dataclass
from pydantic import BaseModel
if other.flag:
    Either = int
else:
    Either = str
try:
    from typing import List as Same
except ImportError:
    from typing_extensions import List as Same
Loop = list["Loop"]
if TYPE_CHECKING:
    Checked = int
Alias = int
type Modern = int | str
class Odd(other.Base):
    x: int
class Mixed(str, Enum):
    A = 1
class Flow(BaseModel):
    x: int
    if other.flag:
        y: int
class Factory(BaseModel):
    x: int = other.make()
@other.decorate
class Child:
    x: int
def tool(value: {annotation}): ...
"""
    scope = Scope(parse_module(source), "module")
    function = scope.module.find("tool")
    assert isinstance(function, Function)
    assert told(read_signature(function, scope))["parameters"]["properties"]["value"] == schema


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    def tool(a): ...\nelse:\n    def tool(b): ...\n",
        "import other\n@other.decorate\ndef tool(a): ...\n",
        "@unknown(3)\ndef tool(a): ...\n",
        "def tool(a: int, b: \n    '''Doc.'''\n",
    ],
)
def test_a_function_that_may_be_another_is_a_hole_as_a_whole(source: str) -> None:
    scope = Scope(parse_module(source), "module")
    function = scope.module.find("tool")
    assert isinstance(function, Function)
    assert isinstance(declaration(read_signature(function, scope)), Hole)


def test_of_several_functions_the_last_one_counts() -> None:
    scope = Scope(parse_module("def tool(a): ...\ndef tool(b: int): ...\n"))
    function = scope.module.find("tool")
    assert isinstance(function, Function)
    assert list(told(read_signature(function, scope))["parameters"]["properties"]) == ["b"]


def test_modules_that_import_each_other_end() -> None:
    def load(name: str) -> Scope | None:
        other = {"a": "b", "b": "a"}.get(name)
        return (
            Scope(parse_module(f"from {other} import Thing\nfrom {other} import *"), name, load=load) if other else None
        )

    scope = load("a")
    assert scope is not None
    assert scope.find("Thing") is None
    assert scope.find("Other") is None


def test_a_class_that_holds_itself_many_times_is_not_unfolded_without_end() -> None:
    fields = "".join(f"    f{k}: 'C{k}'\n" for k in range(12))
    classes = "".join(f"class C{k}(TypedDict):\n{fields}" for k in range(12))
    scope = Scope(parse_module(f"from typing import TypedDict\n{classes}def tool(a: C0): ...\n"))
    function = scope.module.find("tool")
    assert isinstance(function, Function)
    assert json.dumps(told(read_signature(function, scope))).count('"properties"') == 1 + 200


def test_reading_tools_loads_neither_pydantic_nor_the_runner() -> None:
    code = (
        "import sys, rolebook.definition.python, rolebook.definition.signature;"
        "print([name for name in sys.modules if name.split('.')[0] in ('pydantic', 'rolebook_runner', 'asyncio')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
