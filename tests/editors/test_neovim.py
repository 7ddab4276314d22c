"""The Neovim client in a real Neovim, against the real server. `ROLEBOOK_NVIM` names the binary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nvim import Neovim, neovim

BINARY = os.environ.get("ROLEBOOK_NVIM")
pytestmark = pytest.mark.skipif(
    not BINARY, reason="ROLEBOOK_NVIM names no Neovim; scripts/editors/install-neovim.sh installs one"
)

BROKEN = """\
name: analyst
descripton: Reads the figures.
instruction: Analyze the data of {company} for {quarter}.
state:
  quarter: Q3
rehearsal:
  - say: Sales rose in {quarter}.
"""
MENDED = BROKEN.replace("descripton", "description").replace("{company}", "Acme")

CLIENTS = "return vim.tbl_map(function(client) return client.name end, vim.lsp.get_clients({ bufnr = 0 }))"
DIAGNOSTICS = """return vim.tbl_map(function(found)
    return { line = found.lnum, message = found.message }
end, vim.diagnostic.get(0))"""
FLOATS = """return vim.iter(vim.api.nvim_list_wins())
    :filter(function(window) return vim.api.nvim_win_get_config(window).relative ~= "" end)
    :map(function(window)
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), "\\n")
    end)
    :totable()"""
TEXT = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')"


@pytest.fixture
def definition(tmp_path: Path) -> Path:
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "rolebook.toml").touch()
    return folder / "analyst.agent.yaml"


@pytest.fixture
def editor(tmp_path: Path, definition: Path) -> Iterator[Neovim]:
    definition.write_text(BROKEN)
    assert BINARY
    with neovim(BINARY, tmp_path / "home", "vim.lsp.enable('rolebook')", definition) as editor:
        yield editor


def mend(editor: Neovim) -> None:
    editor.lua("vim.cmd('%s/descripton/description/ | %s/{company}/Acme/')")
    assert editor.lua(TEXT) == MENDED.rstrip("\n")


def problem_on(line: int, naming: str, diagnostics: list[dict[str, Any]]) -> bool:
    return any(found["line"] == line and naming in found["message"] for found in diagnostics)


def test_problems_appear_and_vanish_with_an_edit(editor: Neovim, definition: Path) -> None:
    assert editor.wait(CLIENTS, bool) == ["rolebook"]
    root = editor.lua("return vim.lsp.get_clients({ bufnr = 0 })[1].root_dir")
    assert Path(root).samefile(definition.parent)

    found = editor.wait(DIAGNOSTICS, lambda found: len(found) >= 2)
    assert problem_on(1, "description", found), found
    assert problem_on(2, "company", found), found

    mend(editor)
    editor.wait(DIAGNOSTICS, lambda found: not found)


def test_hover_shows_the_compiled_prompt(editor: Neovim) -> None:
    mend(editor)
    editor.wait(CLIENTS, bool)

    editor.lua("vim.fn.cursor(1, 7) vim.lsp.buf.hover()")
    [hover] = editor.wait(FLOATS, bool)
    static, dynamic = hover.split("Dynamic")
    assert "Static" in static
    assert "You are analyst. Reads the figures." in static
    assert "Analyze the data of Acme for Q3." in dynamic


def test_markdown_that_is_no_definition_gets_no_client(editor: Neovim, definition: Path) -> None:
    for name in ("notes.md", "helper.agent.md"):
        definition.with_name(name).write_text("---\nname: helper\nagent_class: LlmAgent\n---\nHelp.\n")
        editor.lua(f"vim.cmd.edit('{name}')")
    assert editor.wait(CLIENTS, bool) == ["rolebook"]
    assert editor.lua("return #vim.lsp.get_clients({ bufnr = vim.fn.bufnr('notes.md') })") == 0


def test_run_saves_the_file_and_talks_in_a_terminal(editor: Neovim, definition: Path) -> None:
    assert editor.lua("return vim.fn.getcompletion('Rolebook ', 'cmdline')") == ["run"]
    mend(editor)

    editor.lua("vim.cmd('Rolebook run How were the sales?')")
    assert editor.lua("return vim.bo.buftype") == "terminal"
    editor.wait(TEXT, lambda text: "Sales rose in Q3." in text)
    assert definition.read_text() == MENDED


def test_the_user_says_how_rolebook_is_started(editor: Neovim) -> None:
    editor.lua("vim.g.rolebook = { cmd = { 'python', '-m', 'rolebook_cli' } }")
    command = editor.lua("return require('rolebook.config').command('run', 'a.yaml')")
    assert command == ["python", "-m", "rolebook_cli", "run", "a.yaml"]
