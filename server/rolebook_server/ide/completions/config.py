"""Completion in `rolebook.toml` and in `[tool.rolebook]` of `pyproject.toml`: tables, settings, rules and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rolebook.models import known_models
from rolebook.models.names import PROVIDERS, TOKENIZERS
from rolebook.problem import Severity
from rolebook.project.snapshot import Snapshot
from rolebook.rules import NEVER_SILENT, all_rules
from rolebook.text import Span, Text
from rolebook_server.ide.changes import text_of
from rolebook_server.ide.completions.item import Item

TABLES: Mapping[str, str] = {
    "state": "Keys of session state that the whole workspace knows, with samples.",
    "rules": "The severity of rules: `off`, `hint`, `info`, `warning` or `error`.",
    "tokens": "How many tokens a prompt may have.",
    "models": "What is known of one model: `[models.NAME]`.",
    "run": "Settings of `rolebook run`.",
}
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "": {
        "runtime": "What runs the definitions: `rolebook`, or `adk-python` for google-adk.",
        "template_syntax": "How placeholders are written: `{name}` (`braces`) or `<name>` (`angles`).",
    },
    "tokens": {
        "budget": "Tokens that a whole prompt may have.",
        "static_budget": "Tokens that the static half may have.",
    },
    "models": {
        "context_window": "Tokens of prompt and answer together.",
        "tokenizer": "The vocabulary that its tokens are counted with.",
        "base_url": "Where the model is served.",
        "provider": "Whose API it speaks.",
    },
    "run": {
        "store": "Where sessions are kept: a folder, a file of SQLite, or a database's URL.",
        "app": "The name of the application, by which sessions are told apart.",
        "model": "The model of agents that set none.",
        "instruction_errors": "What a failing instruction function does: `empty` gives an empty text, `stop` ends.",
        "max_model_calls": "Calls of a model in one turn.",
        "max_transfers": "Transfers in a row.",
        "max_tool_seconds": "Seconds that one tool may take.",
        "max_provider_seconds": "Seconds that an instruction or tool-list function may take.",
        "max_callback_seconds": "Seconds that one callback may take.",
        "max_import_seconds": "Seconds that the import of a module may take.",
        "max_turn_seconds": "Seconds that one turn may take.",
        "max_result_chars": "Characters of a tool's result that the model gets.",
        "max_state_chars": "Characters that session state may have.",
    },
}
"""The settings of each table with what hover and completion say of them."""

_HEADER = re.compile(r"^[ \t]*\[(?P<name>[^\[\]\r\n]*)\]", re.MULTILINE)
_IN_HEADER = re.compile(r"[ \t]*\[(?P<word>[\w.\"-]*)$")
_AT_KEY = re.compile(r"[ \t]*(?P<word>[\w-]*)$")
_AT_VALUE = re.compile(r"[ \t]*(?P<key>[\w-]+)[ \t]*=[ \t]*(?P<quote>[\"']?)(?P<word>[\w./:-]*)$")
_KEY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=", re.MULTILINE)


def in_config(snapshot: Snapshot, path: str, offset: int) -> Iterator[Item]:
    """The proposals at `offset` of a configuration file."""
    text = Text(text_of(snapshot, path))
    line = text.line_span(text.line_of(offset))
    before = text.source[line.start : offset]
    prefix = "tool.rolebook" if path.endswith("pyproject.toml") else ""
    if (header := _IN_HEADER.fullmatch(before)) is not None:
        yield from _tables(text.source, header["word"], offset, prefix)
        return
    start, end, table = _table_at(text.source, line.start)
    own = _own_name(table, prefix)
    if own is None:
        return
    if (value := _AT_VALUE.fullmatch(before)) is not None:
        rest = re.compile(r"[\w./:-]*").match(text.source, offset)
        span = Span(offset - len(value["word"]), rest.end() if rest is not None else offset)
        closed = not value["quote"] or text.source.startswith(value["quote"], span.end)
        for choice, doc in _choices(own, value["key"]):
            shown = choice if value["quote"] else f'"{choice}"'
            yield Item(choice, "value", shown + ("" if closed else value["quote"]), span, doc)
    elif (key := _AT_KEY.fullmatch(before)) is not None and not text.source[offset : line.end].strip(" \t"):
        present = set(_KEY.findall(text.source[start:end]))
        span = Span(offset - len(key["word"]), offset)
        for name, doc in _keys(own):
            if name not in present:
                yield Item(name, "key", f"{name} = ", span, doc)


def _table_at(text: str, line_start: int) -> tuple[int, int, str]:
    """The table that a line stands in: where its content begins and ends, and its name."""
    start, name = 0, ""
    for header in _HEADER.finditer(text):
        if header.start() >= line_start:
            return start, header.start(), name
        start, name = header.end(), header["name"].strip()
    return start, len(text), name


def _own_name(table: str, prefix: str) -> str | None:
    """The table's name in Rolebook's own settings, empty for the top; None for a table of another tool."""
    if not prefix:
        return table
    if table == prefix:
        return ""
    return table.removeprefix(f"{prefix}.") if table.startswith(f"{prefix}.") else None


def _tables(text: str, word: str, offset: int, prefix: str) -> Iterator[Item]:
    present = {header["name"].strip() for header in _HEADER.finditer(text)}
    closed = text[offset : offset + 1] == "]"
    span = Span(offset - len(word), offset)
    if prefix and prefix not in present:
        yield Item(prefix, "key", prefix + ("" if closed else "]"), span, "Rolebook's settings.")
    for name, doc in TABLES.items():
        full = f"{prefix}.{name}" if prefix else name
        if name == "models":
            yield Item(f"{full}.NAME", "key", f'{full}."NAME"' + ("" if closed else "]"), span, doc)
        elif full not in present:
            yield Item(full, "key", full + ("" if closed else "]"), span, doc)


def _keys(table: str) -> Iterator[tuple[str, str]]:
    if table == "rules":
        yield from ((name, rule.page.partition("\n\n")[0]) for name, rule in all_rules().items())
    yield from SETTINGS.get("models" if table.startswith("models.") else table, {}).items()


def _choices(table: str, key: str) -> Iterator[tuple[str, str]]:
    """The values of a setting that has some to choose from."""
    if table == "rules" and key in all_rules():
        if key not in NEVER_SILENT:
            yield "off", "The rule finds nothing."
        yield from ((severity.label, "") for severity in Severity)
        return
    choices: Mapping[tuple[str, str], tuple[str, ...]] = {
        ("", "runtime"): ("rolebook", "adk-python"),
        ("", "template_syntax"): ("braces", "angles"),
        ("models", "tokenizer"): TOKENIZERS,
        ("models", "provider"): PROVIDERS,
        ("run", "instruction_errors"): ("empty", "stop"),
        ("run", "model"): tuple(known_models()),
    }
    own = "models" if table.startswith("models.") else table
    yield from ((choice, SETTINGS[own][key]) for choice in choices.get((own, key), ()))
