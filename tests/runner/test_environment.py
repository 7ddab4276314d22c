"""`.env` files, and keys that don't show themselves."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from rolebook_runner.models.environment import Secret, environment, read_env

LINES = [
    ("A=1", {"A": "1"}),
    ("A = 1 ", {"A": "1"}),
    ("export A=1", {"A": "1"}),
    ("A=", {"A": ""}),
    ('A="two words" # comment', {"A": "two words"}),
    ("A=one # comment", {"A": "one"}),
    ("A=one#two", {"A": "one#two"}),
    ("A=# comment", {"A": ""}),
    ('A="a\\nb\\"c"', {"A": 'a\nb"c'}),
    ("A='a\\nb'", {"A": "a\\nb"}),
    ("A='C:\\dir\\'", {"A": "C:\\dir\\"}),
    ('A="open', {"A": '"open'}),
    ("A=a#b #c #d", {"A": "a#b"}),
    ("A=it's", {"A": "it's"}),
    ("A=a=b", {"A": "a=b"}),
    ("A=1\r\nB=2", {"A": "1", "B": "2"}),
    ("A=1\nA=2", {"A": "2"}),
    ("# A=1\n\nnot a line\n1A=2\n=3", {}),
]


@pytest.mark.parametrize(("text", "variables"), LINES)
def test_reading_a_file(text: str, variables: dict[str, str]) -> None:
    assert dict(read_env(text)) == variables


@pytest.mark.timeout(10)
@pytest.mark.parametrize("line", ['"' + "\\" * 50_000, '"' + "\\a" * 50_000, "x" + " " * 100_000 + "y", "'" * 100_001])
def test_no_line_takes_long(line: str) -> None:
    """Each of them took minutes, or longer than anyone lives, when the expressions could match in many ways."""
    assert dict(read_env(f"A={line}\n{line}\nB=2")) == {"A": line, "B": "2"}


def test_the_process_wins_and_empty_counts_as_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("ROLEBOOK_A=file\nROLEBOOK_B=file\nROLEBOOK_C=\n", encoding="utf-8")
    monkeypatch.setenv("ROLEBOOK_A", "process")
    monkeypatch.setenv("ROLEBOOK_B", "")
    found = environment(str(tmp_path))
    assert {name: found.get(f"ROLEBOOK_{name}") for name in "ABC"} == {"A": "process", "B": "file", "C": None}


def test_without_a_file(tmp_path: Path) -> None:
    assert environment(str(tmp_path / "nowhere"))


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("sk-1")
    shown = f"{secret} {secret!r} {[secret]} {traceback.format_exception(ValueError(secret))}"
    assert "sk-1" not in shown
    assert secret.censor("key sk-1 is wrong") == "key … is wrong"
