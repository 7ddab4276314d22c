"""Which server speaks for a model of the Chat Completions family, and what it needs. The tables are all there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rolebook.wire.providers import split_model
from rolebook_runner.errors import RunError
from rolebook_runner.models.environment import Secret

_OPENAI = "https://api.openai.com/v1"
_LOCAL = {
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "lm_studio": "http://127.0.0.1:1234/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "hosted_vllm": "http://127.0.0.1:8000/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
    "llama_cpp": "http://127.0.0.1:8080/v1",
}
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
    """Where to send a request, without the slash at the end, and the key to send with it, if any."""

    base_url: str
    key: Secret | None


def server_of(model: str, variables: Mapping[str, str]) -> Server | str:
    """The server for this model, or the name of the variable whose key it needs and that isn't set.

    `PREFIX_BASE_URL` and `PREFIX_API_KEY` are looked at for every `PREFIX/…`, `OPENAI_…` for a model without prefix.
    A server with an address of the user's own is asked without a key where none is set; a key goes nowhere but to the
    server that it is named after. Raises RunError where no address is known.
    """
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


def _key(name: str, variables: Mapping[str, str]) -> Secret | None:
    """The key in this variable. A malformed one is refused here, since HTTP libraries quote what they can't send."""
    value = variables.get(name, "").strip()
    if not value:
        return None
    if not value.isascii() or not value.isprintable():
        raise RunError(f"{name} holds characters that no key has")
    return Secret(value)
