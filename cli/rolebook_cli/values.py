"""Values from the command line: `key=value` pairs, and events from a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from rolebook.json import JsonValue
from rolebook.prompt.events import Event, event_from_json
from rolebook.record import Record
from rolebook_cli.output import Failure, shown_path


class Conversation(Record):
    """What a request is compiled from besides the definition; `artifacts` are texts by their names."""

    events: list[Event]
    state: Mapping[str, JsonValue]
    artifacts: Mapping[str, str]


def read_pairs(pairs: list[str], option: str) -> dict[str, JsonValue]:
    """`key=value` pairs; a value is JSON where it parses as such, else text. Raises Failure."""
    found: dict[str, JsonValue] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise Failure(f"{option} takes KEY=VALUE, not `{pair}`")
        found[key] = _json_or_text(value)
    return found


def read_events(path: str) -> list[Event]:
    """Events from a file, or from standard input for `-`: a JSON list or one JSON object a line. Raises Failure."""
    name = "standard input" if path == "-" else shown_path(path)
    try:
        if path == "-":
            text = sys.stdin.read()
        else:
            with open(path, encoding="utf-8-sig") as file:
                text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{name} can't be read: {getattr(error, 'strerror', None) or 'it is no UTF-8 text'}") from None
    return [_event(data, where) for data, where in _objects(text, name) if not _is_head(data)]


def _objects(text: str, name: str) -> list[tuple[Any, str]]:
    if text.lstrip().startswith("["):
        try:
            return [(data, f"{name}, event {index}") for index, data in enumerate(json.loads(text), 1)]
        except (ValueError, RecursionError) as error:
            raise Failure(f"{name} is no JSON: {error}") from None
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append((json.loads(line), f"{name}, line {number}"))
            except (ValueError, RecursionError) as error:
                raise Failure(f"{name}, line {number} is no JSON: {error}") from None
    return found


def _is_head(data: Any) -> bool:
    """Whether this is the line about the session with which an export begins."""
    return isinstance(data, dict) and "rolebook" in data and "author" not in data


def _event(data: Any, where: str) -> Event:
    try:
        if not isinstance(data, dict):
            raise ValueError("an event is a JSON object")
        return event_from_json(data)
    except (ValueError, TypeError) as error:
        raise Failure(f"{where}: {error}") from None


def _json_or_text(value: str) -> JsonValue:
    try:
        parsed: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed
