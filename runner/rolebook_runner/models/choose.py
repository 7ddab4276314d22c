"""Which model answers: a provider where it can be asked, else the rehearsal, which says why."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from rolebook import wire
from rolebook.models import Override
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import environment
from rolebook_runner.models.local.files import Gguf, gguf_of, runs_here
from rolebook_runner.models.model import Model, ModelCall
from rolebook_runner.models.rehearsal import REHEARSAL, Rehearsal
from rolebook_runner.models.servers import Server, key_names, server_of
from rolebook_runner.models.traffic import Traffic

if TYPE_CHECKING:
    from rolebook.project.tree import Tree
    from rolebook_runner.models.local.model import Local
    from rolebook_runner.models.remote import Remote

_NOBODY = Server("http://127.0.0.1/v1", None)
"""Stands for a server that isn't asked."""


class DefaultModels:
    """The models that names stand for. Connections are kept from call to call.

    `variables` holds keys and addresses, `overrides` what the workspace says of models (`Config.models`). `traffic`
    watches what is sent; where it replays, neither a key nor a file is needed. Files of `local/…` are looked for in
    `folder`.
    """

    def __init__(
        self,
        variables: Mapping[str, str],
        overrides: Mapping[str, Override] | None = None,
        traffic: Traffic | None = None,
        folder: str = ".",
    ) -> None:
        stand_ins = dict.fromkeys(key_names(), "replayed") if traffic is not None and traffic.replays else {}
        self._variables = {**stand_ins, **variables}
        self._traffic = traffic
        self._overrides = overrides or {}
        self._folder = folder
        self._open: dict[str, Remote] = {}
        self._local: dict[str, Local] = {}

    def of(self, call: ModelCall) -> Model:
        found = self._chosen(call.request.model)
        if isinstance(found, Gguf):
            return self._run_here(found)
        if isinstance(found, str) or call.request.model is None:
            return Rehearsal(call)
        return self._remote(call.request.model, found)

    def rehearsal_reason(self, model: str | None) -> str | None:
        found = self._chosen(model)
        return found if isinstance(found, str) else None

    async def aclose(self) -> None:
        for local in self._local.values():  # at once, in case that what follows is cancelled
            local.kill()
        async with AsyncExitStack() as left:  # closes each, whatever another one's end raises
            for remote in self._open.values():
                left.push_async_callback(remote.aclose)
            for local in self._local.values():
                left.push_async_callback(local.aclose)
            self._open.clear()
            self._local.clear()

    def _chosen(self, model: str | None) -> Server | Gguf | str:
        replays = self._traffic is not None and self._traffic.replays
        if replays and model is not None and runs_here(model, self._overrides):
            return _NOBODY
        return chosen(model, self._variables, self._overrides, self._folder)

    def _run_here(self, file: Gguf) -> Local:
        from rolebook_runner.models.local.model import Local

        path = os.path.realpath(file.path)
        if path not in self._local:
            self._local[path] = Local(file, self._traffic)
        return self._local[path]

    def _remote(self, model: str, server: Server) -> Remote:
        if model not in self._open:
            self._open[model] = connected(server, self._traffic)
        return self._open[model]


def models_of(tree: Tree, variables: Mapping[str, str] | None = None, traffic: Traffic | None = None) -> DefaultModels:
    """The models of a tree, with keys and addresses from the environment or the `.env` beside the root definition."""
    folder = os.path.dirname(tree.root.agent.path)
    given = variables if variables is not None else environment(folder)
    return DefaultModels(given, tree.config.models, traffic, folder)


def connected(server: Server, traffic: Traffic | None = None) -> Remote:
    """A client for the server; loaded here, since httpx takes a while to load and a rehearsal needs none."""
    match server.protocol:
        case "gemini":
            from rolebook_runner.models.gemini import Gemini

            return Gemini(server.base_url, server.key, traffic=traffic)
        case "anthropic":
            from rolebook_runner.models.anthropic import Anthropic

            return Anthropic(server.base_url, server.key, traffic=traffic)
        case "openai":
            from rolebook_runner.models.openai import OpenAI

            return OpenAI(server.base_url, server.key, traffic=traffic)


def chosen(
    model: str | None,
    variables: Mapping[str, str],
    overrides: Mapping[str, Override] | None = None,
    folder: str = ".",
) -> Server | Gguf | str:
    """The server that speaks for a model, the file that is to be run here, or why it is rehearsed.

    Raises RunError where the model can't be run at all.
    """
    if model is None:
        return "no model is given"
    if model == REHEARSAL:
        return "the model is `rehearsal`"
    if wire.provider_of(model, overrides) is None and "OPENAI_BASE_URL" not in variables:
        raise RunError(
            f"the model `{model}` belongs to no known provider; write it as PROVIDER/NAME (`ollama/{model}`)"
        )
    if runs_here(model, overrides):
        return gguf_of(model, folder, variables, overrides)
    server = server_of(model, variables, overrides)
    return f"`{model}` needs a key, and {server} isn't set" if isinstance(server, str) else server
