"""Asks a provider how many tokens a request has. Keys come from the environment alone and go to their provider only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from rolebook import wire
from rolebook.prompt.request import Hole, LlmRequest
from rolebook.wire.counting import count_request
from rolebook.wire.providers import is_openai_model
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret
from rolebook_runner.models.servers import server_of

_TIMES = httpx.Timeout(30.0)
_EXCERPT = 300

_HOSTS = {
    "gemini": ("https://generativelanguage.googleapis.com/v1beta", ("GEMINI", "GOOGLE"), "x-goog-api-key"),
    "anthropic": ("https://api.anthropic.com/v1", ("ANTHROPIC",), "x-api-key"),
}
_ANTHROPIC_VERSION = "2023-06-01"


async def ask(request: LlmRequest, variables: Mapping[str, str]) -> int:
    """The tokens of `request` as its provider counts them; `variables` hold keys and addresses (`environment`).

    Raises RunError, with a sentence for the user, where there is no key or no such endpoint, where the request has
    holes, or where the provider gives no number.
    """
    model = request.model
    provider = wire.provider_of(model)
    if model is None or provider is None:
        raise RunError("no provider is known that could be asked")
    _refuse_holes(request)
    if provider == "openai":
        if not is_openai_model(model):
            raise RunError(f"the server of `{model}` has no endpoint that counts tokens")
        server = server_of(model, variables)
        if isinstance(server, str):
            raise RunError(f"{server} isn't set")
        base, key = server.base_url, server.key
        headers = {"authorization": f"Bearer {key.reveal()}"} if key is not None else {}
    else:
        base, key, headers = _first_party(provider, variables)
    asked = count_request(request, provider)
    answer = await _post(f"{base}/{asked.path}", wire.encode(asked.payload), headers, key)
    number = answer.get(asked.answer) if isinstance(answer, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        raise RunError("the provider's answer holds no count")
    return number


def _first_party(provider: str, variables: Mapping[str, str]) -> tuple[str, Secret, dict[str, str]]:
    base, prefixes, header = _HOSTS[provider]
    names = [f"{prefix}_API_KEY" for prefix in prefixes]
    value = next((variables[name].strip() for name in names if variables.get(name, "").strip()), None)
    if value is None:
        raise RunError(f"{' or '.join(names)} isn't set")
    if not value.isascii() or not value.isprintable():
        raise RunError(f"{names[0]} holds characters that no key has")
    headers = {header: value}
    if provider == "anthropic":
        headers["anthropic-version"] = _ANTHROPIC_VERSION
    own = next((variables[f"{prefix}_BASE_URL"] for prefix in prefixes if variables.get(f"{prefix}_BASE_URL")), base)
    return own.rstrip("/"), Secret(value), headers


async def _post(url: str, body: bytes, headers: Mapping[str, str], key: Secret | None) -> Any:
    try:
        host = httpx.URL(url).host
        local = host in ("127.0.0.1", "localhost", "::1")  # a proxy from the environment isn't meant for these
        async with httpx.AsyncClient(timeout=_TIMES, trust_env=not local) as client:
            response = await client.post(url, content=body, headers={"content-type": "application/json", **headers})
        if response.status_code != 200:
            raise RunError(_censored(f"{host}: {response.status_code}: {_said(response)}", key))
        return response.json()
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise RunError(_censored(f"the provider couldn't be asked: {error or type(error).__name__}", key)) from None


def _said(response: httpx.Response) -> str:
    """The message in an error body, else its beginning."""
    try:
        value: Any = response.json()
    except ValueError:
        value = response.text
    while isinstance(value, dict):
        value = next((value[name] for name in ("error", "message", "detail") if value.get(name)), "")
    return " ".join(str(value).split())[:_EXCERPT]


def _censored(text: str, key: Secret | None) -> str:
    return key.censor(text) if key is not None else text


def _refuse_holes(request: LlmRequest) -> None:
    holes = [tool.name for tool in request.tools if isinstance(tool, Hole)]
    holes += [request.output_schema.name] if isinstance(request.output_schema, Hole) else []
    if holes:
        raise RunError(f"{', '.join(f'`{hole}`' for hole in holes)}: known at run only; `--execute` fills it in")
