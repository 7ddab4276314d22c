"""`rolebook sessions`: lists, shows, exports, deletes and replays what the session store holds."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rolebook.json import compact
from rolebook.prompt.events import Event, event_to_json
from rolebook_cli.excerpt import visible
from rolebook_cli.found_sessions import find_session, is_meant, with_storage
from rolebook_cli.output import Failure, paint
from rolebook_cli.project import open_snapshot
from rolebook_cli.storage import STORE_HELP, chosen_location
from rolebook_cli.transcript import lines, turns

if TYPE_CHECKING:
    from rolebook_runner.sessions.location import Location
    from rolebook_runner.sessions.storage import Storage
    from rolebook_runner.sessions.store import Summary

_ACTIONS = {
    "list": "list the sessions, the latest first",
    "show": "print what was said and done in a session, and its state",
    "export": "print a session as JSON lines, for `rolebook compile --events`",
    "delete": "delete sessions with their memories and artifacts",
    "replay": "run the user's messages again, tools included, and show where the answers differ now",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if name != "list":
            action.add_argument("id", metavar="ID", nargs="+" if name == "delete" else None, help=_ID_HELP)
        if name == "replay":
            action.add_argument("path", metavar="PATH", help="a definition, or a folder with a root_agent.yaml")
            action.add_argument("--model", help="a model instead of the definition's")
        if name == "export":
            action.add_argument("--output", metavar="FILE", help="a file instead of standard output")
        if name in ("list", "show", "replay"):
            action.add_argument("--format", choices=("text", "json"), default="text")
        action.add_argument("--app", help="only sessions of this app: its root agent's name, or `[run] app`")
        action.add_argument("--user", help="only sessions of this user")
        action.add_argument("--store", help=STORE_HELP)


_ID_HELP = "a session's id, or the start of it where only one starts so"


def run(args: argparse.Namespace) -> int:
    here = os.path.join(os.getcwd(), "any")
    location = chosen_location(args.store, open_snapshot(here).config(here))
    if args.action == "list":
        return _list(args, location)
    if args.action == "replay":
        from rolebook_cli.replay import replay

        return replay(args, location)
    return with_storage(location, lambda storage: _act(args, storage))


async def _act(args: argparse.Namespace, storage: Storage) -> int:
    if args.action == "delete":
        for summary in [await find_session(storage, id, args.app, args.user) for id in args.id]:
            await storage.delete(summary.key)
            print(f"deleted {summary.key.id} ({_count(summary.events)})")
        return 0
    summary = await find_session(storage, args.id, args.app, args.user)
    events = await storage.store.events(summary.key)
    head = {**_head(summary), "state": await storage.store.state(summary.key)}
    if args.action == "export":
        _export(args.output, head, events)
    elif args.format == "json":
        print(json.dumps({**head, "events": [event_to_json(event) for event in events]}, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_shown(summary, events, head["state"])))
    return 0


def _list(args: argparse.Namespace, location: Location) -> int:
    async def listed(storage: Storage) -> list[Summary]:
        return [summary for summary in await storage.store.sessions() if is_meant(summary, args.app, args.user)]

    none_yet = location.path is not None and not os.path.exists(location.path)
    found = [] if none_yet else with_storage(location, listed)
    if args.format == "json":
        rows = [{**_head(summary), "events": summary.events, "opening": summary.opening} for summary in found]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not found:
        print(f"no sessions in {location.path}")
    else:
        widths = [max(map(len, column)) for column in zip(*map(_row, found), strict=True)]
        for summary in found:
            row = [cell.ljust(width) for cell, width in zip(_row(summary), widths, strict=True)]
            print("  ".join([paint(row[0], "bold"), *row[1:], visible(_excerpt(summary.opening))]).rstrip())
    return 0


def _row(summary: Summary) -> tuple[str, ...]:
    key = summary.key
    return visible(key.id), visible(key.app), visible(key.user), _local(summary.updated), _count(summary.events)


def _count(events: int) -> str:
    return f"{events} event{'' if events == 1 else 's'}"


def _local(time: str) -> str:
    """A stored time as the user's clock shows it, to the minute."""
    from datetime import datetime

    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _excerpt(text: str) -> str:
    line = " ".join(text[:200].split())
    return line if len(line) <= 60 else line[:59] + "…"


def _head(summary: Summary) -> dict[str, Any]:
    key = summary.key
    return {
        "session": key.id,
        "app": key.app,
        "user": key.user,
        "started": summary.started,
        "updated": summary.updated,
    }


def _shown(summary: Summary, events: tuple[Event, ...], state: dict[str, Any]) -> Iterator[str]:
    key = summary.key
    began = _local(summary.started)
    whose = f"app {visible(key.app)} · user {visible(key.user)}"
    yield f"{paint(visible(key.id), 'bold')} · {whose} · {_count(len(events))} · since {began}"
    for turn in turns(events):
        yield ""
        said = visible(turn.text, keep="\n\t")
        yield f"{paint('you', 'green', 'bold')}: {said}"
        yield from lines(turn.events)
    if state:
        yield ""
        yield paint("state", "bold")
        yield from (visible(f"  {name}: {compact(value)}") for name, value in state.items())


def _export(path: str | None, head: dict[str, Any], events: tuple[Event, ...]) -> None:
    """A line about the session, then one for each event. What UTF-8 can't hold stays escaped."""
    objects = [{"rolebook": 1, **head}, *map(event_to_json, events)]
    text = "".join(json.dumps(data, ensure_ascii=False) + "\n" for data in objects)
    if path is None:
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise Failure(f"{path} can't be written: {error.strerror}") from None
