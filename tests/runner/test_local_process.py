"""The child process of a local model, played by scripts that fail as llama.cpp does. The real one: `tests/local`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from rolebook_runner.errors import RunError
from rolebook_runner.models.local import process
from rolebook_runner.models.local.files import Gguf
from rolebook_runner.models.local.model import Local
from rolebook_runner.models.local.process import Child

FILE = Gguf("local/m", "/m.gguf", 4096)
READ = "import json, os, sys\ngiven = json.loads(sys.stdin.readline())\n"
SERVE = READ + "print(json.dumps({'url': 'http://127.0.0.1:1'}), flush=True)\n"

# What the child does, and what is told of it.
ENDS = [
    (
        "sys.exit('0.02.123.884 E ggml_aligned_malloc: insufficient memory (attempted to allocate 180.00 MB)')",
        "there isn't enough memory for it with a context of 4096 tokens; LLAMA_ARG_CTX_SIZE sets a smaller one",
    ),
    (
        "sys.exit('0.00.013.620 E llama_model_load: error loading model: unknown architecture \\'x\\'\\n0.1 E other')",
        "unknown architecture 'x'",
    ),
    (
        "sys.exit('0.00.005.285 E srv         start: couldn\\'t bind HTTP server socket')",
        "couldn't bind HTTP server socket",
    ),
    ("sys.exit('0.1 E srv: given ' + given['key'])", "given …"),
    ("os.write(2, b'\\xff' * 100_000); sys.exit(3)", "llama.cpp ended with the status 3"),
    ("sys.exit(7)", "llama.cpp ended with the status 7"),
]
if os.name == "posix":
    ENDS += [
        ("os.kill(os.getpid(), 9)", "llama.cpp was killed, which systems do when memory runs out"),
        ("os.kill(os.getpid(), 11)", "llama.cpp crashed (SIGSEGV)"),
    ]


def script(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "script.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(process, "_SCRIPT", str(folder / "script.py"))


@pytest.mark.parametrize(("ending", "told"), ENDS)
async def test_why_a_model_cannot_be_run(
    ending: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(READ + ending, tmp_path, monkeypatch)
    with pytest.raises(RunError) as error:
        await Child.start(FILE)
    assert str(error.value) == f"the model `local/m` can't be run: {told}"


async def test_a_child_that_says_much_does_not_wait_for_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(READ + "os.write(2, b'x' * 1_000_000)\n" + SERVE[len(READ) :] + "sys.stdin.read()", tmp_path, monkeypatch)
    child = await Child.start(FILE)
    assert child.url == "http://127.0.0.1:1/v1" and not child.ended
    await child.end()
    assert child.ended


async def test_a_load_that_takes_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(READ + "sys.stdin.read()", tmp_path, monkeypatch)
    monkeypatch.setattr(process, "LOAD_SECONDS", 0.5)
    with pytest.raises(RunError, match=r"wasn't loaded within 0\.5 s"):
        await Child.start(FILE)


async def test_who_stops_waiting_does_not_stop_the_load_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(SERVE + "sys.stdin.read()", tmp_path, monkeypatch)
    model = Local(FILE)
    first, second = asyncio.create_task(model._served()), asyncio.create_task(model._served())
    await asyncio.sleep(0)
    first.cancel()
    served = await second
    assert first.cancelled() and await model._served() is served
    served.child.kill()
    await served.child.why_ended(10)
    third, fourth = await asyncio.gather(model._served(), model._served())
    assert third is fourth and third is not served
    await model.aclose()
    assert third.child.ended


async def test_to_close_while_it_loads_ends_the_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pid").touch()
    script(
        READ + f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nsys.stdin.read()", tmp_path, monkeypatch
    )
    model = Local(FILE)
    waiting = asyncio.create_task(model._served())
    while not (pid := (tmp_path / "pid").read_text()):
        await asyncio.sleep(0.01)
    await model.aclose()
    with pytest.raises(RunError, match="was closed while it was loaded"):
        await waiting
    if os.name == "posix":
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
