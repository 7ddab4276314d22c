"""Which session store a command uses."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rolebook.project.config import Config
from rolebook_cli.output import Failure

if TYPE_CHECKING:
    from rolebook_runner.sessions.location import Location

STORE_HELP = "where sessions are kept: `memory`, a file, or sqlite:///PATH"


def chosen_location(store: str | None, config: Config) -> Location:
    """What `--store` says, else `[run] store`, else the user's own file. Raises Failure.

    A relative path starts at the current folder, or at that of the file which sets it.
    """
    from rolebook_runner.sessions.location import location
    from rolebook_runner.sessions.store import StoreError

    written = run_text(config, "store")
    try:
        if store is None and written is not None:
            return location(written, os.path.dirname(config.path))
        return location(store, os.getcwd())
    except StoreError as error:
        raise Failure(str(error)) from None


def run_text(config: Config, name: str) -> str | None:
    """A text under `[run]`."""
    value = config.run.get(name)
    return value if isinstance(value, str) else None
