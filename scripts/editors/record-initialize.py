#!/usr/bin/env python3
"""Records what real editors say to a language server: `initialize`, and the change of one character.

    scripts/editors/record-initialize.py neovim-0.11=PROGRAM neovim-0.12=PROGRAM helix=PROGRAM emacs=PROGRAM
    scripts/editors/record-initialize.py vscode=CODE_SERVER

The recordings go to tests/lsp/clients, with nothing of this machine in them. Helix needs tmux; VS Code needs Node, the
packed extension (`make vscode`) and a Chromium, which ROLEBOOK_CHROMIUM names.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
CLIENTS = REPOSITORY / "tests/lsp/clients"
TEXT = "name: greeter\ninstruction: 🙂 Greet {usr}.\nstate: {user: Ann}\n"
"""The document. The edit makes `{usr}` a `{user}`, behind a character that each encoding counts differently."""

LINE, COLUMN = 1, 24
"""Where the edit is, both from 0, in code points."""

PATIENCE = 200.0
"""Seconds."""


def serve(log: Path) -> None:
    """The server that the editors are given: it writes down all messages, and answers as far as they need."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while header := source.readline():
        length = int(header.partition(b":")[2]) if header.lower().startswith(b"content-length") else 0
        while header.strip():
            header = source.readline()
            if header.lower().startswith(b"content-length"):
                length = int(header.partition(b":")[2])
        message = json.loads(source.read(length))
        with log.open("a") as file:
            file.write(json.dumps(message) + "\n")
        if message.get("method") == "exit":
            return
        if "id" in message and "method" in message:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}).encode()
            sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            sink.flush()


def answer(message: dict[str, Any]) -> Any:
    if message["method"] != "initialize":
        return {"kind": "full", "items": []} if message["method"] == "textDocument/diagnostic" else None
    return {
        "capabilities": {
            "positionEncoding": encoding(message["params"]),
            "textDocumentSync": {"openClose": True, "change": 2},
            "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False},
        }
    }


def encoding(initialize: dict[str, Any]) -> str:
    """The one that Rolebook chooses of those that a client offers."""
    offered = initialize["capabilities"].get("general", {}).get("positionEncodings", [])
    return next((each for each in ("utf-32", "utf-8", "utf-16") if each in offered), "utf-16")


def neovim(program: str, server: Path, file: Path, _: Callable[[str], bool]) -> None:
    script = file.parent.parent / "record.lua"
    script.write_text(f"""
        vim.cmd.edit({json.dumps(str(file))})
        vim.bo.filetype = 'yaml'
        vim.lsp.start({{ name = 'rolebook', cmd = {{ {json.dumps(str(server))} }}, root_dir = {json.dumps(str(file.parent))} }})
        vim.wait(5000, function() return vim.lsp.get_clients()[1] and vim.lsp.get_clients()[1].initialized end)
        local column = vim.str_byteindex(vim.fn.getline({LINE + 1}), 'utf-32', {COLUMN})
        vim.api.nvim_buf_set_text(0, {LINE}, column, {LINE}, column, {{ 'e' }})
        vim.wait(1000)
        vim.lsp.get_clients()[1]:stop()
        vim.wait(500)
    """)  # noqa: E501
    subprocess.run([program, "--clean", "--headless", "-n", "-l", str(script)], check=True, timeout=PATIENCE)


def emacs(program: str, server: Path, file: Path, _: Callable[[str], bool]) -> None:
    script = file.parent.parent / "record.el"
    script.write_text(f"""
        (require 'eglot)
        (define-derived-mode yaml-mode text-mode "yaml")
        (add-to-list 'eglot-server-programs '(yaml-mode . ({json.dumps(str(server))})))
        (find-file {json.dumps(str(file))})
        (yaml-mode)
        (let ((project-find-functions (list (lambda (_) (cons 'transient default-directory)))))
          (apply #'eglot--connect (eglot--guess-contact)))
        (eglot--maybe-activate-editing-mode)
        (goto-char (point-min)) (forward-line {LINE}) (forward-char {COLUMN})
        (insert "e")
        (eglot--signal-textDocument/didChange)
        (accept-process-output nil 1)
        (set-buffer-modified-p nil)
        (eglot-shutdown (eglot-current-server))
    """)
    subprocess.run([program, "--batch", "-Q", "-l", str(script)], check=True, timeout=PATIENCE)


def helix(program: str, server: Path, file: Path, told: Callable[[str], bool]) -> None:
    config = file.parent.parent / "helix"
    config.mkdir()
    (config / "languages.toml").write_text(
        f'[language-server.rolebook]\ncommand = "{server}"\n[[language]]\nname = "yaml"\n'
        'scope = "source.yaml"\nfile-types = ["yaml"]\nroots = []\nlanguage-servers = ["rolebook"]\n'
    )
    environment = {**os.environ, "XDG_CONFIG_HOME": str(config.parent), "TMUX_TMPDIR": str(config)}
    tmux = ["tmux", "-L", "rolebook"]
    size = ["-c", str(file.parent), "-x", "120", "-y", "40"]
    command = shlex.join([program, f"{file}:{LINE + 1}:{COLUMN + 1}"])
    subprocess.run([*tmux, "new-session", "-d", *size, command], check=True, env=environment)
    try:
        wait_for(lambda: told("textDocument/didOpen"))
        for keys in ("i", "e", "Escape"):
            subprocess.run([*tmux, "send-keys", keys], check=True, env=environment)
        wait_for(lambda: told("textDocument/didChange"))
    finally:
        subprocess.run([*tmux, "kill-server"], check=True, env=environment)


def vscode(program: str, server: Path, file: Path, told: Callable[[str], bool]) -> None:
    script = REPOSITORY / "scripts/editors/record-vscode.mjs"
    environment = {**os.environ, "ROLEBOOK_CODE_SERVER": program}
    column = len(TEXT.splitlines()[LINE][:COLUMN].encode("utf-16-le")) // 2 + 1
    arguments = [str(server), file.name, TEXT, str(LINE + 1), str(column)]
    process = subprocess.Popen(["node", str(script), *arguments], env=environment, stdin=subprocess.PIPE)
    assert process.stdin is not None
    try:
        wait_for(lambda: told("textDocument/didOpen") or process.poll() is not None)
        process.stdin.write(b"type\n")
        process.stdin.flush()
        wait_for(lambda: told("textDocument/didChange") or process.poll() is not None)
    finally:
        process.communicate(timeout=PATIENCE)


EDITORS: dict[str, tuple[Callable[[str, Path, Path, Callable[[str], bool]], None], str]] = {
    "neovim-0.11": (neovim, "Neovim"),
    "neovim-0.12": (neovim, "Neovim"),
    "helix": (helix, "Helix"),
    "emacs": (emacs, "Emacs, eglot"),
    "vscode": (vscode, "VS Code, vscode-languageclient"),
}


def record(name: str, program: str) -> None:
    edit, title = EDITORS[name]
    with tempfile.TemporaryDirectory(prefix="rolebook-record-") as folder:
        log, server, workspace = Path(folder, "log"), Path(folder, "server"), Path(folder, "workspace")
        log.touch()
        workspace.mkdir()
        (workspace / ".git").mkdir()
        file = workspace / "root_agent.yaml"
        file.write_text(TEXT)
        server.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" --serve "{log}"\n')
        server.chmod(0o755)

        def messages() -> list[dict[str, Any]]:
            return [json.loads(line) for line in log.read_text().splitlines()]

        edit(program, server, file, lambda method: any(each.get("method") == method for each in messages()))
        found = {each["method"]: each.get("params") for each in reversed(messages()) if each.get("method")}
        recording = {
            "client": title,
            "source": "recorded by scripts/editors/record-initialize.py",
            "initialize": found["initialize"],
            "language": found["textDocument/didOpen"]["textDocument"]["languageId"],
            "encoding": encoding(found["initialize"]),
            "change": found["textDocument/didChange"]["contentChanges"],
        }
        target = CLIENTS / f"{name}.json"
        target.write_text(
            json.dumps(scrubbed(recording, workspace), indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        )
        print(f"{target.relative_to(REPOSITORY)}: {recording['initialize'].get('clientInfo')}")


def scrubbed(value: Any, workspace: Path) -> Any:
    """The same without this machine's process ids, paths and names."""
    if isinstance(value, dict):
        return {key: 1 if key == "processId" else scrubbed(inner, workspace) for key, inner in value.items()}
    if isinstance(value, list):
        return [scrubbed(inner, workspace) for inner in value]
    if not isinstance(value, str):
        return value
    # VS Code's workspace lies in a home that its own script makes.
    plain = re.sub(r"(?:/[^/\s:]+)*/rolebook-(?:record|vscode)-[^/]*/workspace/?", "/workspace", value)
    for name in (workspace.parent, Path.home(), Path.cwd(), REPOSITORY, os.uname().nodename):
        if str(name) in plain:
            raise SystemExit(f"this names the machine: {plain}")
    return "workspace" if plain == workspace.name else plain


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise SystemExit("the editor did not do it in time")
        time.sleep(0.1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]))
    else:
        for argument in sys.argv[1:]:
            editor, _, path = argument.partition("=")
            record(editor, path)
