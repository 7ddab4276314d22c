"""What every artifact store does, held against each of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from stores import ANN, ANN_TOO, BOB, opened

from rolebook_runner.artifacts import artifacts as limits
from rolebook_runner.artifacts.artifacts import Artifact, Artifacts
from rolebook_runner.errors import RunError
from rolebook_runner.sessions.store import SessionKey


@pytest.fixture(params=["memory", "sqlite"])
async def artifacts(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Artifacts, None]:
    storage = opened(request.param, tmp_path)
    yield storage.artifacts
    await storage.aclose()


async def test_versions(artifacts: Artifacts) -> None:
    assert await artifacts.save(ANN, "a.md", "one") == 0
    assert await artifacts.save(ANN, "a.md", "two") == 1
    assert await artifacts.versions(ANN, "a.md") == (0, 1)
    assert await artifacts.load(ANN, "a.md") == Artifact("a.md", 1, "text/markdown", b"two")
    assert await artifacts.load(ANN, "a.md", 0) == Artifact("a.md", 0, "text/markdown", b"one")
    for missing in (2, -1):
        assert await artifacts.load(ANN, "a.md", missing) is None
    assert (await artifacts.load(ANN, "b"), await artifacts.versions(ANN, "b")) == (None, ())


@pytest.mark.parametrize(
    ("name", "data", "mime", "kind", "text"),
    [
        ("x", "é\ud800", None, "text/plain", "é?"),
        ("x", b"\xff\x00", None, "application/octet-stream", None),
        ("x.json", b"{}", None, "application/json", "{}"),
        ("x.png", b"\x89", None, "image/png", None),
        ("x", b"\xff!", "Text/Plain; charset=utf-8", "Text/Plain; charset=utf-8", "\ufffd!"),
        ("x", b"{}", "application/ld+json", "application/ld+json", "{}"),
    ],
)
async def test_types(artifacts: Artifacts, name: str, data: bytes | str, mime: str, kind: str, text: str) -> None:
    await artifacts.save(ANN, name, data, mime)
    loaded = await artifacts.load(ANN, name)
    assert loaded is not None and (loaded.mime, loaded.text) == (kind, text)


async def test_who_sees_which(artifacts: Artifacts) -> None:
    nameless = SessionKey("app", "ann", "")
    for key in (ANN, ANN_TOO, BOB, nameless):
        await artifacts.save(key, "own", key.id)
    await artifacts.save(ANN, "user:all", "shared")
    assert [await artifacts.list(key) for key in (ANN, ANN_TOO, BOB, nameless)] == [
        ("own", "user:all"), ("own", "user:all"), ("own",), ("own", "user:all")
    ]  # fmt: skip
    assert await artifacts.versions(ANN_TOO, "own") == (0,)
    await artifacts.forget(nameless)
    await artifacts.forget(ANN)
    assert await artifacts.list(ANN) == ("user:all",)
    assert await artifacts.list(ANN_TOO) == ("own", "user:all")


async def test_what_is_too_large_or_has_no_name(artifacts: Artifacts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    with pytest.raises(RunError, match="the artifact `x` has 1,001 bytes; 1,000 are the most that is kept"):
        await artifacts.save(ANN, "x", b"x" * 1001)
    with pytest.raises(RunError, match="needs a name"):
        await artifacts.save(ANN, " ", b"x")
    assert await artifacts.list(ANN) == ()
