"""Where sessions are kept, as `[run] store` and `--store` say it. Nothing here loads a database."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from rolebook_runner.sessions.store import StoreError

_URL = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*)://(?P<rest>.*)", re.DOTALL)
_FILE = "sessions.db"


@dataclass(frozen=True, slots=True)
class Location:
    """An absolute `path` of an SQLite file, or None for what lives as long as the process."""

    path: str | None


def location(store: str | None, folder: str) -> Location:
    """What a setting means: `memory`, the path of a file, or `sqlite:///PATH`. None is the user's default file.

    A relative path starts at `folder`. Raises StoreError for other databases, without repeating an address, which may
    hold a password.
    """
    if store is None:
        return Location(default_path())
    if store == "memory":
        return Location(None)
    match = _URL.fullmatch(store)
    if match is None:
        return Location(_absolute(store, folder))
    scheme = match["scheme"].lower()
    if scheme == "sqlite":
        if not match["rest"].startswith("/") or match["rest"] == "/":
            raise StoreError("an SQLite store is written as `sqlite:///PATH`, with three slashes (four, if absolute)")
        return Location(_absolute(match["rest"][1:], folder))
    if scheme.partition("+")[0] in ("postgresql", "postgres"):
        raise StoreError(
            "a PostgreSQL store needs the extra `postgres`, which isn't installed: `pip install 'rolebook[postgres]'`"
        )
    raise StoreError(f"a session store is `memory`, a path or `sqlite:///PATH`; nothing is known of `{scheme}://`")


def default_path() -> str:
    """The user's own file: under the platform's folder for data, such as `~/.local/share/rolebook` on Linux."""
    from platformdirs import user_data_dir

    return os.path.join(user_data_dir("rolebook", appauthor=False), _FILE)


def _absolute(path: str, folder: str) -> str:
    return os.path.abspath(os.path.join(folder, os.path.expanduser(path)))
