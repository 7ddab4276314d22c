"""docs/recipes.md: its commands print what it says. `ROLEBOOK_PAGES=redraw pytest tests/examples` writes that anew."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from rolebook_cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "recipes.md"
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ rolebook (?P<args>[^\n<]+)(?:< (?P<input>\S+))?$", re.MULTILINE)


def output(args: list[str], talk: str | None, folder: Path) -> str:
    """What the command prints. One that reads what the user says gets a process of its own, the others share this one,
    which saves loading the same libraries again and again."""
    if talk is not None:
        command = [sys.executable, "-m", "rolebook_cli", *args]
        done = subprocess.run(
            command, cwd=folder, input=talk, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
        )
        status, printed = done.returncode, done.stdout
    else:
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            status = main(args)
        printed = out.getvalue()
    assert status == 0, printed
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The examples, copied to where sessions may be stored, in an environment without keys."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_page_says_what_the_commands_print(folder: Path) -> None:
    def ran(block: re.Match[str]) -> str:
        drawn = ""
        for command in _COMMAND.finditer(block[0]):
            talk = (folder / command["input"]).read_text("utf-8") if command["input"] else None
            drawn += f"{command[0]}\n{output(shlex.split(command['args']), talk, folder)}"
        return drawn

    page = PAGE.read_text("utf-8")
    drawn = _BLOCK.sub(ran, page)
    if os.environ.get("ROLEBOOK_PAGES") == "redraw":
        PAGE.write_text(drawn, "utf-8")
    assert drawn == page or os.environ.get("ROLEBOOK_PAGES") == "redraw"


def test_every_recipe_is_on_the_page() -> None:
    ran = {
        shlex.split(command["args"])[1]
        for block in _BLOCK.finditer(PAGE.read_text("utf-8"))
        for command in _COMMAND.finditer(block[0])
        if command["args"].startswith("run ")
    }
    recipes = (ROOT / "examples" / "recipes").glob("*/root_agent.yaml")
    assert ran == {path.parent.relative_to(ROOT).as_posix() for path in recipes}
