"""Which model answers: a provider where it can be asked, else the rehearsal, which says why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rolebook import wire
from rolebook.models import Override, override_of
from rolebook_runner.errors import RunError
from rolebook_runner.models.model import Model, ModelCall
from rolebook_runner.models.rehearsal import REHEARSAL, Rehearsal
from rolebook_runner.models.servers import Server, key_names, server_of
from rolebook_runner.models.traffic import Traffic

if TYPE_CHECKING:
    from rolebook_runner.models.remote import Remote


class DefaultModels:
    """The models that names stand for. Connections are kept from call to call.

    `variables` holds keys and addresses, `overrides` what the workspace says of models (`Config.models`). `traffic`
    watches what is sent; where it replays, no key is needed.
    """

    def __init__(
        self,
        variables: Mapping[str, str],
        overrides: Mapping[str, Override] | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        stand_ins = dict.fromkeys(key_names(), "replayed") if traffic is not None and traffic.replays else {}
        self._variables = {**stand_ins, **variables}
        self._traffic = traffic
        self._overrides = overrides or {}
        self._open: dict[str, Remote] = {}

    def of(self, call: ModelCall) -> Model:
        server = chosen(call.request.model, self._variables, self._overrides)
        if isinstance(server, str) or call.request.model is None:
            return Rehearsal(call)
        return self._remote(call.request.model, server)

    def rehearsal_reason(self, model: str | None) -> str | None:
        server = chosen(model, self._variables, self._overrides)
        return server if isinstance(server, str) else None

    async def aclose(self) -> None:
        while self._open:
            await self._open.popitem()[1].aclose()

    def _remote(self, model: str, server: Server) -> Remote:
        if model not in self._open:
            self._open[model] = connected(server, self._traffic)
        return self._open[model]


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
    model: str | None, variables: Mapping[str, str], overrides: Mapping[str, Override] | None = None
) -> Server | str:
    """The server that speaks for a model, or why it is rehearsed. Raises RunError where it can't be run at all."""
    if model is None:
        return "no model is given"
    if model == REHEARSAL:
        return "the model is `rehearsal`"
    if wire.provider_of(model, overrides) is None and "OPENAI_BASE_URL" not in variables:
        raise RunError(
            f"the model `{model}` belongs to no known provider; write it as PROVIDER/NAME (`ollama/{model}`)"
        )
    override = override_of(model, overrides)
    if model.startswith("local/") and (override is None or override.base_url is None):
        raise RunError(f"the model `{model}`: this version runs no GGUF files itself; a local server can (`ollama/…`)")
    server = server_of(model, variables, overrides)
    return f"`{model}` needs a key, and {server} isn't set" if isinstance(server, str) else server
