"""Which files of a folder are definitions: hidden, ignored and tools' folders passed over, loops survived."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rolebook.project.discover import definitions_below, reachable, workspace_root
from rolebook.project.files import DiskFiles, Unreadable
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(root: Path) -> list[str]:
    snapshot = Snapshot(DiskFiles(), str(root))
    return [os.path.relpath(path, root).replace(os.sep, "/") for path in definitions_below(snapshot, str(root))]


def test_by_name_or_content(tmp_path: Path) -> None:
    texts = {
        "root_agent.yaml": "name: a",
        "x.agent.yml": "",
        "sub/any.yaml": "agent_class: LoopAgent\nname: b",
        "compose.yaml": "services:\n  agent_class: no",
        "marked.agent.md": "---\nagent_class: LlmAgent\nname: m\n---\nHi",
        "other.agent.md": "---\nname: m\n---\nHi",
        "notes.txt": "agent_class: LlmAgent",
    }
    write(tmp_path, texts)
    assert found(tmp_path) == ["marked.agent.md", "root_agent.yaml", "x.agent.yml", "sub/any.yaml"]


def test_hidden_and_tools_folders_are_passed_over(tmp_path: Path) -> None:
    folders = (".git", ".venv/lib", "node_modules/x", "a/__pycache__", "a")
    write(tmp_path, {f"{folder}/root_agent.yaml": "name: a" for folder in folders})
    assert found(tmp_path) == ["a/root_agent.yaml"]


GITIGNORE = {
    ".gitignore": "build/\n*.agent.yaml\n!keep.agent.yaml\n/only_here\n# build2/\n",
    "deep/.gitignore": "!x.agent.yaml\nroot_agent.yaml\n",
}
IGNORED = (
    "build/root_agent.yaml",
    "deep/build/root_agent.yaml",
    "build2/root_agent.yaml",
    "x.agent.yaml",
    "keep.agent.yaml",
    "deep/x.agent.yaml",
    "deep/root_agent.yaml",
    "only_here/root_agent.yaml",
    "deep/only_here/root_agent.yml",
)


def test_what_git_ignores_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {**GITIGNORE, **dict.fromkeys(IGNORED, "name: a")})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    command = ["git", "-C", str(tmp_path), "ls-files", "-co", "--exclude-standard", "*.yaml", "*.yml"]
    expected = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert sorted(found(tmp_path)) == sorted(expected)
    assert sorted(f"deep/{name}" for name in found(tmp_path / "deep")) == sorted(e for e in expected if "deep/" in e)


def test_without_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*", "root_agent.yaml": "name: a"})
    assert found(tmp_path) == ["root_agent.yaml"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_loops_of_links_end(tmp_path: Path) -> None:
    write(tmp_path, {"a/root_agent.yaml": "name: a"})
    (tmp_path / "a/loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a/self.agent.yaml").symlink_to(tmp_path / "a/self.agent.yaml")
    assert found(tmp_path) == ["a/root_agent.yaml", "a/self.agent.yaml"]
    assert isinstance(DiskFiles().read(str(tmp_path / "a/self.agent.yaml")), Unreadable)


def test_an_unreadable_file_is_a_problem_and_the_rest_is_checked(tmp_path: Path) -> None:
    (tmp_path / "bad.agent.yaml").write_bytes(b"name: \xff")
    write(tmp_path, {"root_agent.yaml": "nam: a"})
    snapshot = Snapshot(DiskFiles(), str(tmp_path))
    paths = reachable(snapshot, list(definitions_below(snapshot, str(tmp_path))))
    rules = {os.path.basename(path): [problem.rule for problem in check_file(snapshot, path)] for path in paths}
    assert rules == {"bad.agent.yaml": ["unreadable-file"], "root_agent.yaml": ["missing-key", "unknown-key"]}


@pytest.mark.skipif(os.name == "nt", reason="there are no such files on Windows")
def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.agent.yaml")
    (tmp_path / "zero.agent.yaml").symlink_to("/dev/zero")
    (tmp_path / "folder.agent.yaml").mkdir()
    for name in ("pipe", "zero", "folder"):
        assert isinstance(DiskFiles().read(str(tmp_path / f"{name}.agent.yaml")), Unreadable)


def test_a_file_of_secrets_is_never_quoted(tmp_path: Path) -> None:
    write(tmp_path, {".env": "KEY=sk-123: x", ".env.local": "", "root_agent.yaml": "name: a", ".envrc.yaml": "name: b"})
    readable = [
        name for name in sorted(os.listdir(tmp_path)) if isinstance(DiskFiles().read(str(tmp_path / name)), str)
    ]
    assert readable == [".envrc.yaml", "root_agent.yaml"]


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "root_agent.yaml").open("wb") as file:
        file.truncate(1 << 30)
    assert DiskFiles().read(str(tmp_path / "root_agent.yaml")) == Unreadable("it is larger than 16 MiB")


def test_utf_16_with_a_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "root_agent.yaml").write_bytes("name: é\n".encode("utf-16"))
    assert DiskFiles().read(str(tmp_path / "root_agent.yaml")) == "name: é\n"


def test_the_workspace_is_the_nearest_marked_folder(tmp_path: Path) -> None:
    write(tmp_path, {"rolebook.toml": "", "a/b/root_agent.yaml": "name: a", "a/pyproject.toml": ""})
    assert workspace_root(str(tmp_path / "a/b/root_agent.yaml")) == str(tmp_path / "a")
    assert workspace_root(str(tmp_path / "other.yaml")) == str(tmp_path)
