"""Which server speaks for a model, in which protocol, and what it needs. The tables are all there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rolebook.models import Override, override_of
from rolebook.wire.providers import Provider, provider_of, split_model
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret

_OPENAI = "https://api.openai.com/v1"
_ANTHROPIC = "https://api.anthropic.com/v1"
_GEMINI = "https://generativelanguage.googleapis.com/v1beta"
_GEMINI_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_LOCAL = {
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "lm_studio": "http://127.0.0.1:1234/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "hosted_vllm": "http://127.0.0.1:8000/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
    "llama_cpp": "http://127.0.0.1:8080/v1",
}
_VERTEX = frozenset({"vertex", "vertex_ai"})
_HOSTED = {
    "openrouter": "https://openrouter.ai/api/v1",
    "groq": "https://api.groq.com/openai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "mistral": "https://api.mistral.ai/v1",
    "together": "https://api.together.xyz/v1",
    "xai": "https://api.x.ai/v1",
}

_PUBLIC = frozenset({"", "openai", *_HOSTED, "gemini", "google", *_VERTEX, "anthropic"})
"""The prefixes of services whose keys are worth guarding."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where to send a request, without the slash at the end, the key to send with it, if any, and in which protocol."""

    base_url: str
    key: Secret | None
    protocol: Provider = "openai"


def key_names() -> Iterator[str]:
    """The variables that hold the keys of the services whose addresses are known."""
    yield from ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", *_GEMINI_KEYS)
    for prefix in _HOSTED:
        yield f"{prefix.upper()}_API_KEY"


def server_of(
    model: str, variables: Mapping[str, str], overrides: Mapping[str, Override] | None = None
) -> Server | str:
    """The server for this model, or the name of the variable whose key it needs and that isn't set.

    `PREFIX_BASE_URL` and `PREFIX_API_KEY` are looked at for every `PREFIX/…`, `OPENAI_…` for a model without prefix.
    A server with an address of the user's own is asked without a key where none is set; a key goes nowhere but to the
    server that it is named after. Raises RunError where no address is known.

    `overrides` is what the workspace says of models. It may have come with somebody else's repository, so a public
    service's key isn't sent to a `base_url` that the environment doesn't give as well.
    """
    override = override_of(model, overrides)
    protocol = provider_of(model, overrides) or "openai"
    prefix = split_model(model)[0]
    if override is not None and prefix not in _PUBLIC and (override.base_url or override.provider):
        name = prefix.upper().replace("-", "_")
        address = override.base_url or variables.get(f"{name}_BASE_URL") or _LOCAL.get(prefix)
        if address is None:
            raise _unknown(model, name)
        return Server(_versioned(address, protocol), _key(f"{name}_API_KEY", variables), protocol)
    if override is not None and override.base_url:
        address = _versioned(override.base_url, protocol)
        usual = _usual(model, protocol, variables) if prefix not in _VERTEX else None
        known = isinstance(usual, Server) and usual.base_url == address
        return usual if known and isinstance(usual, Server) else Server(address, None, protocol)
    return _usual(model, protocol, variables)


def _usual(model: str, protocol: Provider, variables: Mapping[str, str]) -> Server | str:
    """The server that the model's name and the environment alone lead to."""
    match protocol:
        case "anthropic":
            return _google_or_anthropic("anthropic", _ANTHROPIC, ("ANTHROPIC_API_KEY",), variables)
        case "gemini":
            if split_model(model)[0] in _VERTEX:
                raise RunError(f"the model `{model}`: Vertex AI takes no keys; `gemini/…` asks the Gemini API")
            return _google_or_anthropic("gemini", _GEMINI, _GEMINI_KEYS, variables)
    prefix = split_model(model)[0] or "openai"
    name = prefix.upper().replace("-", "_")
    own = variables.get(f"{name}_BASE_URL")
    key = _key(f"{name}_API_KEY", variables)
    if own or prefix in _LOCAL:
        return Server((own or _LOCAL[prefix]).rstrip("/"), key)
    known = _OPENAI if prefix == "openai" else _HOSTED.get(prefix)
    if known is None:
        raise _unknown(model, name)
    return Server(known, key) if key else f"{name}_API_KEY"


def _unknown(model: str, name: str) -> RunError:
    return RunError(f"no server is known for the model `{model}`; set {name}_BASE_URL to the address of its API")


def _versioned(address: str, protocol: Provider) -> str:
    """The address with the version of its API, which the providers' own libraries leave out of it."""
    version = {"anthropic": "/v1", "gemini": "/v1beta", "openai": ""}[protocol]
    return address.rstrip("/").removesuffix(version) + version


def _google_or_anthropic(
    protocol: Provider, known: str, names: Sequence[str], variables: Mapping[str, str]
) -> Server | str:
    own = variables.get(f"{protocol.upper()}_BASE_URL")
    key = next((found for name in names if (found := _key(name, variables))), None)
    if own:
        return Server(_versioned(own, protocol), key, protocol)
    return Server(known, key, protocol) if key else " or ".join(names)


def _key(name: str, variables: Mapping[str, str]) -> Secret | None:
    """The key in this variable. A malformed one is refused here, since HTTP libraries quote what they can't send."""
    value = variables.get(name, "").strip()
    if not value:
        return None
    if not value.isascii() or not value.isprintable():
        raise RunError(f"{name} holds characters that no key has")
    return Secret(value)
