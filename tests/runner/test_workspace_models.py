"""What `rolebook.toml` says of models reaches the wire: `[run] model`, `[models.NAME] base_url` and `provider`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from play import Played, played_in
from server import Server, serving, stream, text

from rolebook.project.config import Model
from rolebook_runner.errors import RunError
from rolebook_runner.models.choose import DefaultModels, chosen
from rolebook_runner.models.servers import Server as Chosen

KEY = "sk-very-secret-0123456789"
OK = stream(text("Hello"), text("", "stop"))
AGENT = "name: a\ninstruction: Help."


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the developer's own environment says of models is nothing to these tests."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")):
            monkeypatch.delenv(name)


async def run(
    folder: Path, server: Server, definition: str, config: str, variables: Mapping[str, str], model: str | None = None
) -> Played:
    keys = "".join(f"{name}={value.replace('URL', server.url)}\n" for name, value in variables.items())
    files = {"root_agent.yaml": definition, "rolebook.toml": config.replace("URL", server.url), ".env": keys}
    play = played_in(folder, files, model=model, models=None)
    async with play.runner:
        return await play.turn("Hi")


def asked(server: Server) -> str:
    (request,) = server.requests
    name = json.loads(request.body)["model"]
    assert isinstance(name, str)
    return name


HOUSE = '[models.house]\nbase_url = "URL"\n[models."gpt-4o"]\nbase_url = "URL/"\n'


@pytest.mark.parametrize(
    ("definition", "config", "flag", "name"),
    [
        (AGENT, HOUSE + '[run]\nmodel = "house"', None, "house"),
        (AGENT + "\nmodel: gpt-4o", HOUSE + '[run]\nmodel = "house"', None, "gpt-4o"),
        (AGENT + "\nmodel: gpt-4o", HOUSE + '[run]\nmodel = "house"', "house", "house"),
        (AGENT, '[run]\nmodel = "acme/small"\n[models."acme/small"]\nbase_url = "URL"', None, "small"),
        (AGENT + "\nmodel: claude-x", '[models.claude-x]\nbase_url = "URL"\nprovider = "openai"', None, "claude-x"),
    ],
    ids=["of the run", "the agent's own first", "the command line's before all", "a prefix", "a protocol"],
)
async def test_which_model_is_asked_where(
    tmp_path: Path, definition: str, config: str, flag: str | None, name: str
) -> None:
    async with serving(OK) as server:
        play = await run(tmp_path, server, definition, config, {}, flag)
    assert play.last.text == "Hello"
    assert asked(server) == name
    assert server.requests[0].target == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("model", "variables", "sent"),
    [
        ("acme/m", {"ACME_API_KEY": KEY}, True),
        ("acme/m", {"OPENAI_API_KEY": KEY}, False),
        ("gpt-4o", {"OPENAI_API_KEY": KEY}, False),
        ("openai/gpt-4o", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "URL"}, True),
        ("groq/m", {"GROQ_API_KEY": KEY}, False),
        ("ollama/m", {"OLLAMA_API_KEY": KEY}, True),
    ],
)
async def test_a_key_goes_to_the_server_that_it_is_named_after(
    tmp_path: Path, model: str, variables: Mapping[str, str], sent: bool
) -> None:
    """An address in a file may be anybody's, so a public service's key is kept from it."""
    async with serving(OK) as server:
        config = f'[models."{model}"]\nbase_url = "URL"'
        await run(tmp_path, server, f"{AGENT}\nmodel: {model}", config, variables)
    assert (server.requests[0].headers.get("authorization") == f"Bearer {KEY}") is sent
    assert sent or KEY not in str(server.requests[0])


CHOICES: list[tuple[str, Model, Mapping[str, str], str, str, bool]] = [
    ("claude-opus-5", Model(base_url="http://x/"), {"ANTHROPIC_API_KEY": KEY}, "http://x/v1", "anthropic", False),
    ("gemini-flash-latest", Model(base_url="http://x/v1beta"), {}, "http://x/v1beta", "gemini", False),
    (
        "gemini-flash-latest",
        Model(base_url="http://x"),
        {"GEMINI_BASE_URL": "http://x", "GEMINI_API_KEY": KEY},
        "http://x/v1beta",
        "gemini",
        True,
    ),
    (
        "vertex_ai/gemini-2.5-pro",
        Model(base_url="http://x"),
        {"GEMINI_API_KEY": KEY},
        "http://x/v1beta",
        "gemini",
        False,
    ),
    (
        "acme/m",
        Model(base_url="http://x", provider="anthropic"),
        {"ACME_API_KEY": KEY},
        "http://x/v1",
        "anthropic",
        True,
    ),
    ("acme/m", Model(provider="gemini"), {"ACME_BASE_URL": "http://x"}, "http://x/v1beta", "gemini", False),
    ("ollama/m", Model(provider="openai"), {}, "http://127.0.0.1:11434/v1", "openai", False),
    (
        "house",
        Model(provider="anthropic"),
        {"ANTHROPIC_API_KEY": KEY},
        "https://api.anthropic.com/v1",
        "anthropic",
        True,
    ),
]


@pytest.mark.parametrize(("model", "said", "variables", "address", "protocol", "has_key"), CHOICES)
def test_address_protocol_and_key(
    model: str, said: Model, variables: Mapping[str, str], address: str, protocol: str, has_key: bool
) -> None:
    found = chosen(model, variables, {model: said})
    assert isinstance(found, Chosen)
    assert (found.base_url, found.protocol, found.key is not None) == (address, protocol, has_key)


def test_a_protocol_without_a_server() -> None:
    with pytest.raises(RunError, match="set ACME_BASE_URL"):
        chosen("acme/m", {}, {"acme/m": Model(provider="gemini")})


def test_an_address_of_ones_own_needs_no_key_and_no_known_name() -> None:
    overrides = {"house": Model(base_url="http://x/v1/"), "local/m": Model(base_url="http://y")}
    found = chosen("house", {}, overrides), chosen("local/m", {}, overrides)
    assert [server.base_url for server in found if isinstance(server, Chosen)] == ["http://x/v1", "http://y"]
    with pytest.raises(RunError, match="no known provider"):
        chosen("house", {}, {})


async def test_models_that_are_given_are_asked_as_before() -> None:
    models = DefaultModels({})
    assert models.rehearsal_reason("gpt-4o") == "`gpt-4o` needs a key, and OPENAI_API_KEY isn't set"
    await models.aclose()
