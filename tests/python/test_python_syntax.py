"""Modules as they are read: names with spans, agreement with Python's own parser, and life in broken files."""

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rolebook.definition.python import Scope, read_signature
from rolebook.definition.signature import declaration
from rolebook.syntax.python import (
    Class,
    Constant,
    Function,
    Import,
    Module,
    parse_expression,
    parse_module,
    source_of,
)
from rolebook.text import Span, Text

SOURCE = '''"""Tööls 🙂."""
from __future__ import annotations
import typing as t
from .models import City as Town, Color

KEY = "city"

class Row(t.TypedDict, total=False):
    """A row."""
    name: t.Required[str]
    size: int

@decorate(1)
async def get(ctx, city: Town, *, days: "int | None" = None, tags: list[str] = ["a"]) -> dict:
    r"""Get it 🙂.

    Args:
        city: The city.
    """
    ctx.state[KEY] = city
    ctx.state.update({"a": 1}, **more)
    return {"x": f"{city!r}"}

class Tools:
    def run(self, x: t.Annotated[int, "X"] = -1):
        yield x
'''


def names(module: Module) -> list[str]:
    return [function.path for function in module.functions]


def spans(value: Any) -> Iterator[Span]:
    if isinstance(value, Span):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from spans(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from spans(getattr(value, name))


def check(source: str) -> Module:
    """Reads the source and declares all of its functions; every span lies in the source."""
    module = parse_module(source)
    assert all(0 <= start <= end <= len(source) for start, end in spans(module))
    for function in module.functions:
        assert source[slice(*function.name_span)].isidentifier()
        declaration(read_signature(function, Scope(module, "module")))
    return module


def test_names_have_their_places() -> None:
    module, text = check(SOURCE), Text(SOURCE)
    assert module.docstring == "Tööls 🙂."
    assert not module.broken
    assert {
        path: text[found[-1].name_span] for path, found in module.bindings.items() if not isinstance(found[-1], Import)
    } == {
        "KEY": "KEY",
        "Row": "Row",
        "get": "get",
        "Tools": "Tools",
        "Tools.run": "run",
    }
    get = module.find("get")
    assert isinstance(get, Function)
    assert text[get.span].startswith("@decorate(1)\nasync def") and text[get.span].endswith('!r}"}')
    assert [text[each.span] for each in get.parameters] == ["ctx", "city", "days", "tags"]
    assert [each.kind for each in get.parameters] == ["normal", "normal", "keyword", "keyword"]
    assert [source_of(each.annotation) if each.annotation else "" for each in get.parameters] == [
        "",
        "Town",
        "'int | None'",
        "list[str]",
    ]
    assert [source_of(each) for each in get.decorators] == ["decorate(1)"]
    assert [(write.key, text[write.span]) for write in get.writes] == [("city", "KEY"), ("a", '"a"')]
    assert get.writes_any
    row = module.find("Row")
    assert isinstance(row, Class)
    assert [field.name for field in row.fields] == ["name", "size"]


def test_imports() -> None:
    source = "import a.b, c.d as e\nfrom . import f\nfrom ..g import (h as i, j,)\nfrom k import *\nfrom .. l import m"
    found = [(each.module, each.name, each.alias, each.level, each.path) for each in parse_module(source).imports]
    assert found == [
        ("a.b", None, None, 0, "a"),
        ("c.d", None, "e", 0, "e"),
        ("", "f", None, 1, "f"),
        ("g", "h", "i", 2, "i"),
        ("g", "j", None, 2, "j"),
        ("k", "*", None, 0, "*"),
        ("l", "m", None, 2, "m"),
    ]


@pytest.mark.parametrize(
    "name", ["argparse", "typing", "json/decoder", "asyncio/tasks", "dataclasses", "enum", "tarfile"]
)
def test_python_reads_the_same(name: str) -> None:
    source = (Path(sysconfig.get_paths()["stdlib"]) / f"{name}.py").read_text(encoding="utf-8")
    tree, module = ast.parse(source), check(source)
    functions = {
        node.name: (
            ast.get_docstring(node, clean=False),
            [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)],
            isinstance(node, ast.AsyncFunctionDef),
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert functions == {
        each.path: (
            each.docstring,
            [parameter.name for parameter in each.parameters if parameter.kind not in ("rest", "keywords")],
            each.is_async,
        )
        for each in module.functions
        if "." not in each.path and not each.conditional
    }
    classes = {node.name: ast.get_docstring(node, clean=False) for node in tree.body if isinstance(node, ast.ClassDef)}
    assert classes == {
        each.path: each.docstring for each in module.classes if "." not in each.path and not each.conditional
    }


@example("\\\\", "r")
@given(st.text(alphabet="\\nxuUN{}abtrf0179\"' é🙂\n\r", max_size=12), st.sampled_from(["", "r", "u", "R"]))
def test_strings_are_decoded_as_python_does(body: str, prefix: str) -> None:
    source = f'{prefix}"""{body}"""'
    try:
        expected = ast.literal_eval(source)
    except (SyntaxError, ValueError, Warning):
        return
    found = parse_expression(source)
    assert found is not None
    assert (found.value if isinstance(found, Constant) else None) == expected


@pytest.mark.parametrize(
    ("broken", "kept"),
    [
        (
            "def before(a): ...\n\ndef broken(a: int, b: \n    '''Doc.'''\n\ndef after(c: int):\n    'After.'\n",
            ["before", "broken", "after"],
        ),
        ("def broken(x):\n    '''never closed\n\ndef after(y):\n    '''After.'''\n", ["broken", "after"]),
        ("x = (\ndef after(y): ...\n", ["after"]),
        ("def a(): ...\nclass A(\n\n@decorate\ndef after(): ...\n", ["a", "after"]),
        ("def a(): ...\nreturn )(\ndef after(): ...\n", ["a", "after"]),
    ],
)
def test_a_mistake_costs_the_definition_that_holds_it(broken: str, kept: list[str]) -> None:
    module = check(broken)
    assert module.broken
    assert names(module) == kept
    after = module.find("after")
    assert isinstance(after, Function)
    assert after.complete
    assert after.docstring in (None, "After.")


def test_every_prefix_is_read() -> None:
    for end in range(len(SOURCE)):
        check(SOURCE[:end])


def test_every_deletion_is_read_and_leaves_other_functions_alone() -> None:
    whole = {function.path: function for function in parse_module(SOURCE).functions}
    for at in range(len(SOURCE)):
        module = check(SOURCE[:at] + SOURCE[at + 1 :])
        start, end = whole["get"].span
        if at < start - 1:
            found = module.find("get")
            assert isinstance(found, Function) and found.docstring == whole["get"].docstring, at
        if at > end + 1:
            assert module.find("get") == whole["get"], at


@given(st.text(max_size=80))
def test_any_text_is_read(source: str) -> None:
    check(source)


@given(st.text(alphabet="def f(a):\n '\"@class[]{},=*x.\\\ud800🙂", max_size=60))
def test_any_text_like_python_is_read(source: str) -> None:
    check(source)


@pytest.mark.parametrize(
    "source",
    [
        f"def f(a: {'list[' * 2000}int{']' * 2000}): ...",
        f"def f(a={'(' * 2000}1{')' * 2000}): ...",
        "".join(f"{' ' * depth}class C:\n" for depth in range(300)) + " " * 300 + "pass\n",
        "".join(f"{' ' * depth}if x:\n" for depth in range(300)) + " " * 300 + "pass\n",
        f"def f(a: {' | '.join(['int'] * 3000)}): ...",
        f"def f(ctx):\n    {'(' * 2000}ctx.state{')' * 2000}['k'] = 1\n",
        "x." * 5000 + "y",
    ],
)
def test_deep_nesting_is_read(source: str) -> None:
    check(source)


def test_line_ends_in_strings_are_those_of_python() -> None:
    function = parse_module('def f():\r\n    """One.\r\n\r\n    Two."""\r\n').find("f")
    assert isinstance(function, Function)
    assert function.docstring == "One.\n\n    Two."
