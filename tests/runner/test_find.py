"""Dotted names: where they are looked for, and what a failing import says (spec §1)."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from play import in_turn, played_in, say

from rolebook.project.python import search_folders
from rolebook_runner.errors import RunError
from rolebook_runner.tools.find import find

VALUE = "value = {!r}\n"


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def found(root: Path, name: str) -> object:
    """What the name means in `team/agents/root_agent.yaml`."""
    return find(name, search_folders(str(root / "team/agents/root_agent.yaml"), str(root)))


# Files that hold the module, and the one that is meant.
PLACES = [
    (["team/agents/mod.py", "team/mod.py", "mod.py", "src/mod.py"], "team/agents/mod.py"),
    (["team/mod.py", "mod.py", "src/mod.py"], "team/mod.py"),
    (["mod.py", "src/mod.py"], "mod.py"),
    (["src/mod.py"], "src/mod.py"),
    (["team/agents/mod/__init__.py", "mod.py"], "team/agents/mod/__init__.py"),
]


@pytest.mark.parametrize(("files", "meant"), PLACES)
def test_the_folders_in_their_order(tmp_path: Path, files: list[str], meant: str) -> None:
    write(tmp_path, {name: VALUE.format(name) for name in files})
    assert found(tmp_path, "mod.value") == meant


def test_deeper_names_packages_and_relative_imports(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "team/agents/pack/__init__.py": "from .inner import Kind\n",
            "team/agents/pack/inner.py": "from . import other\n\nclass Kind:\n    value = other.value\n",
            "team/agents/pack/other.py": VALUE.format("deep"),
            "team/agents/loose/part.py": "from ..pack.other import value\n",
        },
    )
    assert found(tmp_path, "pack.inner.Kind.value") == "deep"
    assert found(tmp_path, "pack.Kind.value") == "deep"
    assert found(tmp_path, "loose.part.value") == "deep"


def test_an_absolute_import_of_a_module_beside_it(tmp_path: Path) -> None:
    write(tmp_path, {"team/agents/mod.py": "import beside_find_test\nvalue = beside_find_test.value\n"})
    write(tmp_path, {"team/agents/beside_find_test.py": VALUE.format("beside")})
    assert found(tmp_path, "mod.value") == "beside"


def test_two_trees_may_have_modules_of_one_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {"team/agents/tools.py": VALUE.format(name)})
    assert [found(tmp_path / name, "tools.value") for name in ("one", "two", "one")] == ["one", "two", "one"]


def test_the_workspace_never_shadows_what_is_imported_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, {"json.py": VALUE.format("mine"), "mod.py": "import json\nvalue = json.dumps({})\n"})
    assert found(tmp_path, "mod.value") == "{}"
    assert found(tmp_path, "json.value") == "mine"


def test_the_environment_comes_last() -> None:
    assert found(Path("/nowhere"), "datetime.datetime.now") == datetime.datetime.now
    assert found(Path("/nowhere"), "json.decoder.JSONDecoder") is json.JSONDecoder


BROKEN = [
    (
        "import missing_module_of_this_test\n",
        "mod.py:1: ModuleNotFoundError: No module named 'missing_module_of_this_test'",
    ),
    ("x = 1\n\ndef f(:\n", "mod.py:3: SyntaxError: invalid syntax"),
    ("def f():\n    raise ValueError('two\\nlines')\n\nf()\n", "mod.py:2: ValueError: two lines"),
    ("raise SystemExit(2)\n", "its module exits (2)"),
    ("y = 1\n", "mod.py has no `value`"),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_what_cannot_be_imported_names_file_and_line(tmp_path: Path, text: str, problem: str) -> None:
    write(tmp_path, {"mod.py": text})
    with pytest.raises(RunError) as raised:
        found(tmp_path, "mod.value")
    assert "`mod.value`" in str(raised.value) and problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_mended_module_is_imported_again(tmp_path: Path) -> None:
    write(tmp_path, {"mod.py": "raise ValueError\n"})
    with pytest.raises(RunError):
        found(tmp_path, "mod.value")
    write(tmp_path, {"mod.py": "value = 'mended now'\n"})
    assert found(tmp_path, "mod.value") == "mended now"


async def test_a_broken_module_ends_the_turn_with_its_file_and_line(tmp_path: Path) -> None:
    files = {"root_agent.yaml": "name: a\ntools: [{name: mod.f}]", "mod.py": "\n1 / 0\n"}
    play = await played_in(tmp_path, files, models=in_turn(a=[say("never")])).turn("x")
    assert (
        play.error.message == f"`mod.f` can't be imported: {tmp_path / 'mod.py'}:2: ZeroDivisionError: division by zero"
    )
    assert play.last.status == "failed"
