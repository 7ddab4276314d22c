"""Runs killed at random instants: no stored event is lost or doubled, and the next run goes on.

`ROLEBOOK_KILLS` says how often (`make kill`: 20, `make soak`: 200); the seed of the instants is printed.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from worker import SESSIONS, set_up

KILLS = int(os.environ.get("ROLEBOOK_KILLS", "2"))
SEED = int(os.environ.get("ROLEBOOK_SEED", random.SystemRandom().randrange(1 << 32)))


class Stored(NamedTuple):
    """What the file holds of one session."""

    events: list[dict[str, Any]]
    counted: int
    positions: list[int]
    state: dict[str, Any]

    @property
    def ids(self) -> list[str]:
        return [event["id"] for event in self.events]


def stored(path: Path) -> dict[str, Stored]:
    """Read behind the store's back."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = {}
        for number, id, counted in connection.execute("SELECT number, id, events FROM sessions").fetchall():
            rows = connection.execute(
                "SELECT position, event FROM events WHERE session = ? ORDER BY position", (number,)
            ).fetchall()
            state = connection.execute(
                "SELECT name, value FROM session_state WHERE session = ?"
                " UNION ALL SELECT name, value FROM user_state WHERE name = ?",
                (number, f"user:{id}"),
            ).fetchall()
            found[id] = Stored(
                [json.loads(event) for _, event in rows],
                counted,
                [position for position, _ in rows],
                {name: json.loads(value) for name, value in state},
            )
        return found


def folded(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The state that the events say was written."""
    state: dict[str, Any] = {}
    for event in events:
        state |= event.get("metadata", {}).get("state", {})
    return state


def told(lines: list[str], session: str) -> list[str]:
    found = [json.loads(line) for line in lines]
    return [value for kind, about, value in found if (kind, about) == ("stored", session)]


def run(folder: Path, *args: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).with_name("worker.py")), str(folder), *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed(folder: Path, chance: random.Random) -> list[str]:
    """The lines that a worker told before it was killed."""
    lines: list[str] = []
    with run(folder) as worker:
        assert worker.stdout is not None
        lines += itertools.islice(iter(worker.stdout.readline, ""), chance.randrange(60))
        time.sleep(chance.random() / 100)
        worker.send_signal(signal.SIGKILL)
        lines += worker.stdout.readlines()
    assert worker.returncode == -signal.SIGKILL
    return lines


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.timeout(60 + 10 * KILLS)
def test_kills_at_random_instants(tmp_path: Path) -> None:
    print(f"ROLEBOOK_SEED={SEED} ROLEBOOK_KILLS={KILLS}")
    set_up(tmp_path)
    chance = random.Random(SEED)
    before: dict[str, list[str]] = {session: [] for session in SESSIONS}
    for _ in range(KILLS):
        lines = killed(tmp_path, chance)
        before = checked(tmp_path, before, lines)
    with run(tmp_path, "3") as last:
        assert last.stdout is not None
        lines = last.stdout.readlines()
    assert last.returncode == 0
    statuses = [line for line in lines if line.startswith('["finished"')]
    assert len(statuses) == 3 * len(SESSIONS) and all('"done"' in line for line in statuses)
    checked(tmp_path, before, lines)


def checked(folder: Path, before: dict[str, list[str]], lines: list[str]) -> dict[str, list[str]]:
    """What is stored now, held against what was and what the worker told since."""
    path = folder / "sessions.db"
    now = stored(path) if path.exists() else {}
    for session, ids in before.items():
        held = now.get(session, Stored([], 0, [], {}))
        new = told(lines, session)
        assert held.ids[: len(ids) + len(new)] == ids + new, "an event that was told is lost, or stands elsewhere"
        assert len(set(held.ids)) == len(held.ids), "an event is doubled"
        assert held.positions == list(range(held.counted)), "an event is missing in between"
        assert held.state == folded(held.events), "an event and its state are stored apart"
        assert_turns(held.events)
        before = {**before, session: held.ids}
    return before


def assert_turns(events: list[dict[str, Any]]) -> None:
    """Each turn starts with the user's message, and none is mixed with another."""
    seen: list[str] = []
    for event in events:
        if not seen or event["invocation"] != seen[-1]:
            assert event["author"] == "user" and event["invocation"] not in seen
            seen.append(event["invocation"])
