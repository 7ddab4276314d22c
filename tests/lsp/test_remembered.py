"""Problems that outlive a session: whatever changed in between, one with them finds what one without them does."""

from __future__ import annotations

import os
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rolebook.problem import Problem
from rolebook_server.lsp import cache, remembered
from rolebook_server.lsp.publish import Publisher
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.workspace import Workspace

SEED = int(os.environ.get("ROLEBOOK_SEED", "1"))

CONTENTS: dict[str, list[str | None]] = {
    "root_agent.yaml": [
        "name: a\nsub_agents:\n- config_path: b.yaml\n- config_path: team/c.agent.yaml\ninstruction: Hi {x}\n",
        "name: a\nsub_agents:\n- config_path: b.yaml\nstate: {x: 1}\n",
        "name: a\ntools: [{name: tools.set_x}]\nsub_agents:\n- config_path: team/c.agent.yaml\n",
        None,
    ],
    "b.yaml": ["name: b\nmodl: x\ninstruction: '{x} {y}'\n", "name: c\noutput_key: y\n", None],
    "team/c.agent.yaml": ["name: c\ninstruction: '{x} <y>'\n", "name: c\ninstruction: '{{x}}'\noutput_key: x\n", None],
    "team/d.agent.yaml": ["name: d\nsub_agents:\n- config_path: c.agent.yaml\nstate: {x: 1}\n", "name: d\n", None],
    "tools.py": ["def set_x(context):\n    context.state['x'] = 1\n", "def set_x(context): ...\n", None],
    "rolebook.toml": ["", "[rules]\nunknown-key = 'off'\n", "[state]\ny = 1\n", None],
    "team/pyproject.toml": ["[tool.rolebook.state]\nx = 1\n", None],
}


@pytest.fixture(autouse=True)
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache."""
    monkeypatch.setenv(cache.SWITCH, str(tmp_path / "cache"))
    monkeypatch.setattr(remembered, "FEWEST", 0)
    return tmp_path / "cache" / "problems"


class Opened:
    """A session: the workspace of a folder, with the problems of its definitions."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace()
        self.workspace.set_folders([folder.as_uri()])
        self.publisher = Publisher(cast(Server, SimpleNamespace(workspace=self.workspace)))
        for _ in self.workspace.find_definitions():
            pass

    def problems(self) -> dict[str, tuple[Problem, ...]]:
        return {path: self.publisher.problems(path) for path in sorted(self.workspace.known_definitions())}

    def store(self) -> None:
        for _ in self.workspace.remembered.store(self.workspace.known_definitions()):
            pass

    @property
    def checked(self) -> int:
        return self.workspace.recheck.runs


def write(folder: Path, name: str, text: str | None) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text)
    return path


def many(folder: Path) -> None:
    for number in range(5):
        write(folder, f"alone{number}.agent.yaml", f"name: n{number}\nmodl: x\n")
    for name in ("root_agent.yaml", "b.yaml", "team/c.agent.yaml"):
        write(folder, name, CONTENTS[name][0])


def test_nothing_is_checked_twice(tmp_path: Path) -> None:
    many(tmp_path / "w")
    first = Opened(tmp_path / "w")
    found = first.problems()
    first.store()
    second = Opened(tmp_path / "w")
    assert second.problems() == found
    assert (first.checked, second.checked) == (8, 0)

    write(tmp_path / "w", "alone3.agent.yaml", "name: n3\n")
    third = Opened(tmp_path / "w")
    assert third.problems() == {
        **found,
        str(tmp_path / "w/alone3.agent.yaml"): third.problems()[str(tmp_path / "w/alone3.agent.yaml")],
    }
    assert third.checked == 1


@pytest.mark.parametrize("in_session", [True, False])
def test_python_sources_count(tmp_path: Path, in_session: bool) -> None:
    folder, name = tmp_path / "w", "tools.py"
    write(folder, "root_agent.yaml", "name: a\ntools: [{name: tools.set_x}]\ninstruction: Hi {x}\n")
    write(folder, "alone.agent.yaml", "name: b\ninstruction: Hi {x}\n")
    write(folder, name, CONTENTS[name][0])
    first = Opened(folder)
    before = first.problems()
    first.store()
    second = Opened(folder) if in_session else None
    path = write(folder, name, CONTENTS[name][1])
    if second is not None:
        second.workspace.reread([str(path)])
    session = second or Opened(folder)
    after = session.problems()
    assert after[str(folder / "root_agent.yaml")] != before[str(folder / "root_agent.yaml")]
    assert session.checked == 1


def test_any_changes_between_sessions_and_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, folder = random.Random(SEED), tmp_path / "w"
    reused = 0
    for round in range(60):
        if round % 10 == 0:
            for name in CONTENTS:
                write(folder, name, rng.choice(CONTENTS[name]))
        for _ in range(rng.choice([0, 1, 1, 2])):
            name = rng.choice(list(CONTENTS))
            write(folder, name, rng.choice(CONTENTS[name]))
        session = Opened(folder)
        for _ in range(rng.choice([0, 0, 1, 2])):
            name = rng.choice(list(CONTENTS))
            path = write(folder, name, rng.choice(CONTENTS[name]))
            session.workspace.reread([str(path)])
        found = session.problems()
        reused += session.checked < len(found)
        with monkeypatch.context() as without:
            without.setenv(cache.SWITCH, "off")
            assert found == Opened(folder).problems(), f"seed {SEED}, round {round}"
        if rng.random() < 0.7:
            session.store()
    assert reused > 5


def test_an_edit_while_it_is_stored_or_loaded(tmp_path: Path) -> None:
    many(tmp_path / "w")
    session = Opened(tmp_path / "w")
    session.problems()
    steps = session.workspace.remembered.store(session.workspace.known_definitions())
    next(steps)
    document = session.workspace.documents.open((tmp_path / "w/b.yaml").as_uri(), "name: b\n", 1)
    session.workspace.changed(document.path)
    assert list(steps) == []
    assert cache.load(session.workspace.folders) is None
    session.store()

    later = Workspace()
    later.set_folders([(tmp_path / "w").as_uri()])
    for number, _ in enumerate(later.find_definitions()):
        if number == 1:
            document = later.documents.open((tmp_path / "w/alone1.agent.yaml").as_uri(), "name: other\n", 1)
            later.changed(document.path)
    assert later.remembered.problems(document.path) is None
    assert later.remembered.problems(str(tmp_path / "w/alone2.agent.yaml")) is not None
    assert later.remembered.problems(str(tmp_path / "w/b.yaml")) is None  # it was stored as edited, and never saved


def damaged(data: bytes) -> dict[str, bytes]:
    checksum, _, body = data.partition(b"\n")
    return {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "one byte": data[:-10] + b"#" + data[-9:],
        "no checksum": body,
        "another version": b"0" * len(checksum) + b"\n" + body,
        "binary": bytes(range(256)) * 10,
    }


@pytest.mark.parametrize("damage", list(damaged(b"")))
def test_a_broken_cache_is_ignored_and_written_again(tmp_path: Path, where: Path, damage: str) -> None:
    many(tmp_path / "w")
    session = Opened(tmp_path / "w")
    found = session.problems()
    session.store()
    (file,) = where.iterdir()
    good = file.read_bytes()
    file.write_bytes(damaged(good)[damage])
    again = Opened(tmp_path / "w")
    assert again.problems() == found
    assert again.checked == 8
    again.store()
    assert Opened(tmp_path / "w").workspace.remembered.problems(str(tmp_path / "w/b.yaml")) is not None


NEARLY = {"names": [], "digests": [], "folders": {}, "files": {}, "targets": {}, "roots": {}}


@pytest.mark.parametrize("value", [None, 3, [], {}, {**NEARLY, "files": {"9": []}}, {**NEARLY, "digests": [1]}])
def test_a_value_that_is_none_of_ours(tmp_path: Path, value: Any) -> None:
    many(tmp_path / "w")
    session = Opened(tmp_path / "w")
    cache.store(session.workspace.folders, value)
    assert Opened(tmp_path / "w").problems() == session.problems()


def test_another_version_of_rolebook_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store(["/w"], {"a": 1})
    assert cache.load(["/w"]) == {"a": 1}
    monkeypatch.setattr(cache, "_program", lambda: b"another")
    assert cache.load(["/w"]) is None


def test_writers_at_once_leave_one_whole_file(where: Path) -> None:
    from threading import Thread

    writers = [Thread(target=cache.store, args=(["/w"], {"writer": n, "bulk": "x" * 100_000})) for n in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(cache.load(["/w"])["bulk"]) == 100_000
    assert len(list(where.iterdir())) == 1


def test_bounds(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(25):
        cache.store([f"/w{number}"], number)
    assert len(list(where.iterdir())) == 20
    assert cache.load(["/w24"]) == 24
    monkeypatch.setattr(cache, "_LARGEST", 1_000)
    cache.store(["/large"], "x" * 1_000)
    assert cache.load(["/large"]) is None


def test_it_can_be_switched_off_and_fail_quietly(tmp_path: Path, where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.SWITCH, "off")
    cache.store(["/w"], 1)
    assert cache.load(["/w"]) is None and not where.exists()
    write(tmp_path, "file", "")
    monkeypatch.setenv(cache.SWITCH, str(tmp_path / "file"))
    cache.store(["/w"], 1)
    assert cache.load(["/w"]) is None
