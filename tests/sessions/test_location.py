"""What `[run] store` and `--store` may say."""

from __future__ import annotations

import os

import pytest

from rolebook_runner.sessions.location import Location, default_path, location
from rolebook_runner.sessions.store import StoreError

FOLDER = os.path.abspath("/work")
MEANT = {
    "memory": None,
    "chats.db": "chats.db",
    "sqlite:///chats.db": "chats.db",
    "SQLite:///chats.db": "chats.db",
    "data/../chats.db": "chats.db",
}


@pytest.mark.parametrize(("written", "path"), MEANT.items())
def test_what_is_meant(written: str, path: str | None) -> None:
    assert location(written, FOLDER) == Location(os.path.join(FOLDER, path) if path is not None else None)


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
def test_absolute_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert location("sqlite:////var/chats.db", FOLDER).path == location("/var/chats.db", FOLDER).path == "/var/chats.db"
    assert location("~/chats.db", FOLDER).path == "/home/ann/chats.db"


def test_nothing_said_means_the_users_own_file() -> None:
    path = location(None, FOLDER).path
    assert path == default_path()
    assert os.path.isabs(path or "") and "rolebook" in (path or "")


REFUSED = {
    "postgresql://ann:secret@db/x": "needs the extra `postgres`",
    "postgresql+psycopg://ann:secret@db/x": "needs the extra `postgres`",
    "mysql://ann:secret@db/x": "nothing is known of `mysql://`",
    "sqlite://": "three slashes",
    "sqlite:///": "three slashes",
    "sqlite://chats.db": "three slashes",
}


@pytest.mark.parametrize(("written", "said"), REFUSED.items())
def test_what_is_refused_and_without_its_password(written: str, said: str) -> None:
    with pytest.raises(StoreError) as refused:
        location(written, FOLDER)
    assert said in str(refused.value) and "secret" not in str(refused.value)
