"""Asks a provider how many tokens a request has, at the address and with the key that a run would use."""

from __future__ import annotations

from collections.abc import Mapping

from rolebook import wire
from rolebook.prompt.request import Hole, LlmRequest
from rolebook.wire.counting import count_request
from rolebook.wire.providers import is_openai_model
from rolebook_runner.errors import RunError
from rolebook_runner.models.choose import connected
from rolebook_runner.models.http import Failed
from rolebook_runner.models.local.files import Gguf, gguf_of, runs_here
from rolebook_runner.models.local.model import Local
from rolebook_runner.models.servers import server_of


async def ask(request: LlmRequest, variables: Mapping[str, str], folder: str = ".") -> int:
    """The tokens of `request` as its provider counts them; `variables` hold keys and addresses (`environment`).

    A file of `local/…` is looked for in `folder`, and llama.cpp counts.

    Raises RunError, with a sentence for the user, where there is no key or no such endpoint, where the request has
    holes, or where the provider gives no number.
    """
    model = request.model
    provider = wire.provider_of(model)
    if model is None or provider is None:
        raise RunError("no provider is known that could be asked")
    here = runs_here(model, None)
    if provider == "openai" and not is_openai_model(model) and not here:
        raise RunError(f"the server of `{model}` has no endpoint that counts tokens")
    if holes := _holes(request):
        raise RunError(f"{', '.join(f'`{hole}`' for hole in holes)}: known at run only; `--execute` fills it in")
    if here:
        return await _count_here(gguf_of(model, folder, variables), request)
    server = server_of(model, variables)
    if isinstance(server, str):
        raise RunError(f"{server} isn't set")
    asked = count_request(request, provider)
    remote = connected(server)
    try:
        answer = await remote.http.send("POST", asked.path, asked.payload)
    except Failed as failed:
        raise RunError(str(failed)) from None
    finally:
        await remote.aclose()
    number = answer.get(asked.answer)
    if not isinstance(number, int) or isinstance(number, bool):
        raise RunError("the provider's answer holds no count")
    return number


async def _count_here(file: Gguf, request: LlmRequest) -> int:
    local = Local(file)
    try:
        return await local.count(request)
    finally:
        await local.aclose()


def _holes(request: LlmRequest) -> list[str]:
    """What is missing; a hole in a text is sent as it is shown, and so counted."""
    holes = [tool.name for tool in request.tools if isinstance(tool, Hole)]
    holes += [message.hole for message in request.messages if message.hole is not None]
    return holes + ([request.output_schema.name] if isinstance(request.output_schema, Hole) else [])
