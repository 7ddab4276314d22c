"""Which server speaks for a model, in which protocol, and what it needs. The tables are all there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Server:
    """Where to send a request, without the slash at the end, the key to send with it, if any, and in which protocol."""

    base_url: str
    key: Secret | None
    protocol: Provider = "openai"


def server_of(model: str, variables: Mapping[str, str]) -> Server | str:
    """The server for this model, or the name of the variable whose key it needs and that isn't set.

    `PREFIX_BASE_URL` and `PREFIX_API_KEY` are looked at for every `PREFIX/…`, `OPENAI_…` for a model without prefix.
    A server with an address of the user's own is asked without a key where none is set; a key goes nowhere but to the
    server that it is named after. Raises RunError where no address is known.
    """
    match provider_of(model):
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
        raise RunError(f"no server is known for the model `{model}`; set {name}_BASE_URL to the address of its API")
    return Server(known, key) if key else f"{name}_API_KEY"


def _google_or_anthropic(
    protocol: Provider, known: str, names: Sequence[str], variables: Mapping[str, str]
) -> Server | str:
    own = variables.get(f"{protocol.upper()}_BASE_URL")
    key = next((found for name in names if (found := _key(name, variables))), None)
    if own:
        version = known[known.rindex("/") :]  # the providers' own libraries leave it out of the address
        return Server(own.rstrip("/").removesuffix(version) + version, key, protocol)
    return Server(known, key, protocol) if key else " or ".join(names)


def _key(name: str, variables: Mapping[str, str]) -> Secret | None:
    """The key in this variable. A malformed one is refused here, since HTTP libraries quote what they can't send."""
    value = variables.get(name, "").strip()
    if not value:
        return None
    if not value.isascii() or not value.isprintable():
        raise RunError(f"{name} holds characters that no key has")
    return Secret(value)
