"""Artifacts that live as long as the process."""

from __future__ import annotations

import builtins

from rolebook_runner.artifacts.artifacts import USER, Artifact, checked, owner, shared
from rolebook_runner.sessions.store import SessionKey


class ProcessArtifacts:
    """No method awaits anything, so each is atomic for the tasks of one event loop."""

    def __init__(self) -> None:
        self._kept: dict[SessionKey, dict[str, builtins.list[Artifact]]] = {}

    async def save(self, key: SessionKey, name: str, data: bytes | str, mime: str | None = None) -> int:
        held, kind = checked(name, data, mime)
        versions = self._kept.setdefault(owner(key, name), {}).setdefault(name, [])
        versions.append(Artifact(name, len(versions), kind, held))
        return len(versions) - 1

    async def load(self, key: SessionKey, name: str, version: int | None = None) -> Artifact | None:
        versions = self._versions(key, name)
        if version is None:
            return versions[-1] if versions else None
        return versions[version] if 0 <= version < len(versions) else None

    async def list(self, key: SessionKey) -> tuple[str, ...]:
        return tuple(
            sorted([*self._own(key), *(name for name in self._kept.get(owner(key, USER), {}) if shared(name))])
        )

    async def versions(self, key: SessionKey, name: str) -> tuple[int, ...]:
        return tuple(range(len(self._versions(key, name))))

    async def forget(self, key: SessionKey) -> None:
        for name in self._own(key):
            del self._kept[key][name]

    def _own(self, key: SessionKey) -> builtins.list[str]:
        return [name for name in self._kept.get(key, {}) if not shared(name)]

    def _versions(self, key: SessionKey, name: str) -> builtins.list[Artifact]:
        return self._kept.get(owner(key, name), {}).get(name, [])
