"""`rolebook.toml`, or `[tool.rolebook]` of `pyproject.toml`: what a workspace says for its definitions (spec §1).

A wrong key or value is a finding with its place; everything else still applies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, cast

from rolebook.definition.names import nearest
from rolebook.definition.validate import Finding
from rolebook.json import JsonValue
from rolebook.models.names import PROVIDERS, TOKENIZERS
from rolebook.problem import Severity
from rolebook.record import Record, field
from rolebook.syntax.template import TemplateSyntax
from rolebook.syntax.toml import key_span
from rolebook.text import Span

Runtime = Literal["rolebook", "adk-python"]
CONFIG_NAMES = ("rolebook.toml", "pyproject.toml")


class Model(Record):
    """What a workspace says of one model, over `rolebook.models`; None where it says nothing."""

    context_window: int | None = None
    tokenizer: str | None = None
    base_url: str | None = None
    provider: str | None = None


class Config(Record):
    """The settings in force. `rules` holds None for a rule that is off; `run` the runner's own settings as written."""

    path: str = ""
    runtime: Runtime = "rolebook"
    template_syntax: TemplateSyntax = "braces"
    state: Mapping[str, JsonValue] = field(default_factory=dict)
    rules: Mapping[str, Severity | None] = field(default_factory=dict)
    token_budget: int | None = None
    static_token_budget: int | None = None
    models: Mapping[str, Model] = field(default_factory=dict)
    run: Mapping[str, JsonValue] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def key_span(self, text: str, *keys: str) -> Span:
        """Where a key of this configuration stands in its file's `text`."""
        return key_span(text, (*_prefix(self.path), *keys))


def read_config(path: str, text: str) -> Config | None:
    """The configuration in the file at `path`, None in a `pyproject.toml` that has none. Never raises."""
    import tomllib

    if _prefix(path) and "tool.rolebook" not in text:
        return None
    try:
        data: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Config(path, findings=(_syntax_error(text, str(error)),))
    for name in _prefix(path):
        data = data.get(name) if isinstance(data, dict) else None
    return _Reader(path, text).read(data) if isinstance(data, dict) else None


def _prefix(path: str) -> tuple[str, ...]:
    return ("tool", "rolebook") if path.endswith("pyproject.toml") else ()


def _syntax_error(text: str, message: str) -> Finding:
    """tomllib says where in words, and only there."""
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)", message)
    start = len(text)
    if place is not None and place[1]:
        lines = text.split("\n")
        start = sum(len(line) + 1 for line in lines[: int(place[1]) - 1]) + int(place[2]) - 1
    start = min(start, max(len(text) - 1, 0))
    said = message[: place.start()] if place is not None else message
    return Finding("wrong-config", Span(start, min(start + 1, len(text))), f"this is no TOML: {said}")


class _Reader:
    """Reads one table and collects what is wrong with it."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.findings: list[Finding] = []

    def read(self, data: dict[str, Any]) -> Config:
        values: dict[str, Any] = {}
        for name, value in data.items():
            reader = _TOP.get(name)
            if reader is None:
                self.unknown((name,), _TOP)
            else:
                values |= reader(self, name, value)
        return Config(self.path, **values, findings=tuple(self.findings))

    def wrong(self, keys: tuple[str, ...], message: str) -> None:
        span = key_span(self.text, (*_prefix(self.path), *keys))
        self.findings.append(Finding("wrong-config", span, message))

    def unknown(self, keys: tuple[str, ...], known: Mapping[str, Any]) -> None:
        near = nearest(keys[-1], known)
        hint = f"; did you mean `{near}`?" if near is not None else f"; known are {', '.join(f'`{k}`' for k in known)}"
        self.wrong(keys, f"`{'.'.join(keys)}` is no setting{hint}")

    def table(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            yield from value.items()
        else:
            self.wrong((name,), f"`{name}` is a table, such as `[{name}]`")

    def choice(self, name: str, value: Any, choices: tuple[str, ...]) -> dict[str, Any]:
        if value in choices:
            return {name: value}
        self.wrong((name,), f"`{name}` is one of {', '.join(f'`{choice}`' for choice in choices)}, not `{value}`")
        return {}

    def state(self, name: str, value: Any) -> dict[str, Any]:
        return {"state": {key: _json(inner) for key, inner in self.table(name, value)}}

    def rules(self, name: str, value: Any) -> dict[str, Any]:
        found: dict[str, Severity | None] = {}
        levels = {severity.label: severity for severity in Severity}
        for rule, level in self.table(name, value):
            if level == "off":
                found[rule] = None
            elif level in levels:
                found[rule] = levels[level]
            else:
                known = ", ".join(f"`{label}`" for label in ("off", *levels))
                self.wrong((name, rule), f"`{rule}` is set to one of {known}, not `{level}`")
        return {"rules": found}

    def tokens(self, name: str, value: Any) -> dict[str, Any]:
        names = {"budget": "token_budget", "static_budget": "static_token_budget"}
        found = {}
        for key, number in self.table(name, value):
            if key not in names:
                self.unknown((name, key), names)
            elif not isinstance(number, int) or isinstance(number, bool) or number < 1:
                self.wrong((name, key), f"`{key}` is a whole number of tokens, at least 1")
            else:
                found[names[key]] = number
        return found

    def models(self, name: str, value: Any) -> dict[str, Any]:
        found = {}
        for model, settings in self.table(name, value):
            if not isinstance(settings, dict):
                self.wrong((name, model), f'`{model}` is a table, such as `[models."{model}"]`')
                continue
            kept: dict[str, Any] = {}
            for key, setting in settings.items():
                kind = _MODEL.get(key)
                if kind is None:
                    self.unknown((name, model, key), _MODEL)
                elif (complaint := kind(setting)) is not None:
                    self.wrong((name, model, key), f"`{key}` is {complaint}")
                else:
                    kept[key] = setting
            found[model] = Model(**kept)
        return {"models": found}

    def run(self, name: str, value: Any) -> dict[str, Any]:
        found: dict[str, JsonValue] = {}
        for key, setting in self.table(name, value):
            complaint = _RUN[key](setting) if key in _RUN else ""
            if complaint is None:
                found[key] = _json(setting)
            elif complaint:
                self.wrong((name, key), f"`{key}` is {complaint}")
            else:
                self.unknown((name, key), _RUN)
        return {"run": found}


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "text"


def _address(value: Any) -> str | None:
    """A base URL. One that holds a password would put it into a file that is shared, and into errors and logs."""
    address = value if isinstance(value, str) else ""
    scheme, _, rest = address.partition("://")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if scheme.lower() not in ("http", "https") or not host or any(char.isspace() for char in address):
        return "the address of a server, such as `http://127.0.0.1:8000/v1`"
    if "@" in host:
        return "an address without user and password; keys come from the environment, as `PREFIX_API_KEY`"
    return None


def _count(value: Any) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else "a whole number from 1"


def _seconds(value: Any) -> str | None:
    return (
        None if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else "a number of seconds"
    )


def _on_error(value: Any) -> str | None:
    return None if value in ("empty", "stop") else "`empty` or `stop`"


def _one_of(names: tuple[str, ...]) -> Callable[[Any], str | None]:
    said = f"one of {', '.join(f'`{name}`' for name in names)}"
    return lambda value: None if value in names else said


_MODEL: dict[str, Callable[[Any], str | None]] = {
    "context_window": _count,
    "tokenizer": _one_of(TOKENIZERS),
    "base_url": _address,
    "provider": _one_of(PROVIDERS),
}
_RUN: dict[str, Callable[[Any], str | None]] = {
    "store": _text,
    "app": _text,
    "model": _text,
    "instruction_errors": _on_error,
    "max_model_calls": _count,
    "max_transfers": _count,
    "max_tool_seconds": _seconds,
    "max_provider_seconds": _seconds,
    "max_callback_seconds": _seconds,
    "max_import_seconds": _seconds,
    "max_turn_seconds": _seconds,
    "max_result_chars": _count,
    "max_state_chars": _count,
}
"""Settings of a run by name, each with the check that says what it should be; the runner gives them their meaning."""

_TOP: dict[str, Callable[[_Reader, str, Any], dict[str, Any]]] = {
    "runtime": lambda reader, name, value: reader.choice(name, value, ("rolebook", "adk-python")),
    "template_syntax": lambda reader, name, value: reader.choice(name, value, ("braces", "angles")),
    "state": _Reader.state,
    "rules": _Reader.rules,
    "tokens": _Reader.tokens,
    "models": _Reader.models,
    "run": _Reader.run,
}


def _json(value: Any) -> JsonValue:
    """TOML's values as JSON; dates and times become their text."""
    if isinstance(value, dict):
        return {key: _json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json(inner) for inner in value]
    return cast(JsonValue, value) if isinstance(value, bool | int | float | str) else str(value)
