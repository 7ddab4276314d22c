"""The protocol of an artifact store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any, Protocol, TypeVar

from rolebook_runner.errors import RunError
from rolebook_runner.sessions.store import SessionKey

T = TypeVar("T")

MAX_BYTES = 10 * 1024 * 1024
"""The largest artifact, in bytes. What is larger belongs into a file, and its path into state."""

USER = "user:"
"""How the name of an artifact starts that all sessions of a user share."""
_TEXTUAL = re.compile(r"text/.*|application/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript|x-yaml|x-ndjson)")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One version of an artifact; `mime` is its media type, such as `text/markdown`."""

    name: str
    version: int
    mime: str
    data: bytes

    @property
    def text(self) -> str | None:
        """The data as text where the media type is one of texts; what is no UTF-8 in it is replaced."""
        kind = self.mime.partition(";")[0].strip().lower()
        return self.data.decode("utf-8", "replace") if _TEXTUAL.fullmatch(kind) else None


class Artifacts(Protocol):
    """Artifacts belong to a session, those whose name starts with `user:` to all sessions of a user (as in google-adk).

    A version is never changed once it is saved. Any method may raise StoreError.
    """

    async def save(self, key: SessionKey, name: str, data: bytes | str, mime: str | None = None) -> int:
        """Keeps the data as the next version of the artifact and gives that version, 0 for the first.

        Without `mime` the type follows from the name's ending, else it is plain text or bytes. Raises RunError where
        the name is blank, or the data larger than `MAX_BYTES`.
        """
        ...

    async def load(self, key: SessionKey, name: str, version: int | None = None) -> Artifact | None:
        """That version, by default the newest; None where there is none."""
        ...

    async def list(self, key: SessionKey) -> tuple[str, ...]:
        """The names of the artifacts that the session sees, sorted."""
        ...

    async def versions(self, key: SessionKey, name: str) -> tuple[int, ...]:
        """The versions of an artifact, oldest first."""
        ...

    async def forget(self, key: SessionKey) -> None:
        """Drops the session's own artifacts."""
        ...


def shared(name: str) -> bool:
    """Whether all sessions of a user share an artifact of this name."""
    return name.startswith(USER)


def owner(key: SessionKey, name: str) -> SessionKey:
    """Whose artifact a name means: the session's, or that of the user, for whom the session id is empty."""
    return SessionKey(key.app, key.user, "") if shared(name) else key


def checked(name: str, data: bytes | str, mime: str | None) -> tuple[bytes, str]:
    """The data's bytes and its media type. Raises RunError as `Artifacts.save`."""
    if not name.strip():
        raise RunError("an artifact needs a name")
    held = data.encode("utf-8", "replace") if isinstance(data, str) else bytes(data)
    if len(held) > MAX_BYTES:
        raise RunError(f"the artifact `{name}` has {len(held):,} bytes; {MAX_BYTES:,} are the most that is kept")
    guessed = mime or guess_type(name)[0]
    return held, guessed or ("text/plain" if isinstance(data, str) else "application/octet-stream")


class SessionArtifacts:
    """`context.artifacts`: the artifacts that a session sees.

    The store is asked on the loop on which this was made: the user's functions are on another.
    """

    def __init__(self, artifacts: Artifacts, key: SessionKey) -> None:
        self._home = asyncio.get_running_loop()
        self._artifacts = artifacts
        self._key = key

    async def save(self, name: str, data: bytes | str, mime: str | None = None) -> int:
        """As `Artifacts.save`."""
        return await self._at_home(self._artifacts.save(self._key, name, data, mime))

    async def load(self, name: str, version: int | None = None) -> Artifact | None:
        """As `Artifacts.load`."""
        return await self._at_home(self._artifacts.load(self._key, name, version))

    async def list(self) -> tuple[str, ...]:
        """As `Artifacts.list`."""
        return await self._at_home(self._artifacts.list(self._key))

    async def versions(self, name: str) -> tuple[int, ...]:
        """As `Artifacts.versions`."""
        return await self._at_home(self._artifacts.versions(self._key, name))

    async def _at_home(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._home))
