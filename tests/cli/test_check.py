"""`rolebook check`: its formats, what it reads, what it writes, and how it ends."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from rolebook.problem import Problem, Severity
from rolebook.project.files import DiskFiles, MemoryFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file
from rolebook.text import Span
from rolebook_cli import parallel
from rolebook_cli.main import main
from rolebook_cli.output import Failure
from rolebook_cli.reports import as_github
from rolebook_cli.reports.report import Report
from rolebook_cli.rewrite import rewrite

SCHEMA = Path(__file__).parents[1] / "data" / "sarif" / "sarif-schema-2.1.0.json"
BROKEN = "name: support\nmodl: x\ninstruction: |\n  日本語 👩‍👩‍👧 {usr_name}.\nstate: {user_name: Ann}\n"
FIXED = BROKEN.replace("modl", "model").replace("usr_name", "user_name")
ROUTER = "name: router\nsub_agents:\n  - name: a\n    description: x\n  - name: a\n    description: y\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main(["check", *(str(arg) for arg in args)])
    out, err = capsys.readouterr()
    return status, out, err


def test_related_places_and_fixes_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", ROUTER)
    first, *rest = call(capsys, "--select", "duplicate-agent-name")[1].splitlines()
    assert first.startswith("root_agent.yaml:5:11: error: another agent beside this one is called `a`")
    assert rest == [
        "  5 |   - name: a",
        "    |           ^",
        "  = see: root_agent.yaml:3:11: the first one",
        "  3 |   - name: a",
        "    |           ^",
        "1 error in 1 file",
    ]


def test_the_order_is_by_path_place_and_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "b" / "root_agent.yaml", "nam: x\nmodl: y\n")
    write(folder / "a" / "z.agent.yaml", "nam: x\n")
    out = json.loads(call(capsys, "b", "a", "--format", "json")[1])["problems"]
    places = [(p["file"], p["range"]["start"]["line"], p["range"]["start"]["column"], p["rule"]) for p in out]
    assert places == sorted(places) and places[0][0] == os.path.join("a", "z.agent.yaml")


def test_statistics(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", "name: a\nmodl: x\nnote: y\ninstruction: '{x}'\n")
    assert call(capsys, "--statistics")[1].splitlines() == [
        "2  unknown-key             error    1 can be fixed",
        "1  unresolved-placeholder  warning",
        "1 error, 2 warnings in 1 file; `--fix` can mend 1",
    ]
    assert json.loads(call(capsys, "--statistics", "--format", "json")[1])["statistics"] == [
        {"rule": "unknown-key", "severity": "error", "problems": 2, "fixable": 1},
        {"rule": "unresolved-placeholder", "severity": "warning", "problems": 1, "fixable": 0},
    ]
    assert call(capsys, "--statistics", "--format", "github")[0] == 2


def sarif(capsys: pytest.CaptureFixture[str], *args: object) -> Any:
    log = json.loads(call(capsys, *args, "--format", "sarif")[1])
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft4Validator(schema).validate(log)
    return log["runs"][0]


def test_sarif(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "agents é" / "root_agent.yaml", BROKEN)
    run = sarif(capsys, "agents é", "--select", "unknown-key,unresolved-placeholder")
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["unknown-key", "unresolved-placeholder"]
    assert "## Why" in run["tool"]["driver"]["rules"][0]["help"]["markdown"]
    key, placeholder = run["results"]
    assert (key["ruleId"], key["level"], key["ruleIndex"]) == ("unknown-key", "error", 0)
    location = placeholder["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "agents%20%C3%A9/root_agent.yaml", "uriBaseId": "%SRCROOT%"}
    assert location["region"] == {"startLine": 4, "startColumn": 14, "endLine": 4, "endColumn": 22}
    assert placeholder["relatedLocations"][0]["message"]["text"] == "`user_name` is set here"
    (change,) = placeholder["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": location["region"], "insertedContent": {"text": "user_name"}}]


def test_sarif_of_odd_files_is_valid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", "")
    write(folder / "b.agent.yaml", "name: a\n'[x](http://e)': 1\n'{0}': 2\n\x1b: \x9b\n")
    (folder / "c.agent.yaml").write_bytes(b"\xff\xfe\xff")
    assert len(sarif(capsys, ".")["results"]) >= 4
    write(folder / "fine" / "root_agent.yaml", FIXED)
    assert sarif(capsys, "fine")["results"] == []
    outside = write(folder / "outside" / "root_agent.yaml", "nam: x\n")
    os.chdir(folder / "fine")
    uri = sarif(capsys, outside)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///") and uri.endswith("/outside/root_agent.yaml")


def test_a_message_makes_no_link(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", "name: a\n'[x](http://e)': 1\n")
    (result,) = sarif(capsys, ".")["results"]
    assert "[x\\](http://e)" in result["message"]["text"]


def test_github(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "a,b:c" / "root_agent.yaml", "name: a\nx%\u2028: |\n  y\n  z\ninstruction: '{x}'\n")
    out = call(capsys, ".", "--format", "github", "--ignore", "rejected-by-pyyaml")[1].splitlines()
    file = "a%2Cb%3Ac/root_agent.yaml"
    assert out[0].startswith(
        f"::warning title=unknown-key,file={file},line=2,endLine=2,col=1,endColumn=4::`x%25\\u2028`"
    )
    assert out[1].startswith(f"::warning title=unresolved-placeholder,file={file},line=5,")
    assert len(out) == 2


def test_github_tells_no_columns_of_several_lines() -> None:
    path = os.path.abspath("x.yaml")
    snapshot = Snapshot(MemoryFiles({path: "a: b\nc: d\n"}), os.path.dirname(path))
    problem = Problem("unknown-key", Severity.INFO, path, Span(3, 8), "m")
    assert (
        as_github.render(Report(snapshot, [problem], 1)) == "::notice title=unknown-key,file=x.yaml,line=1,endLine=2::m"
    )


def test_select_and_ignore(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", BROKEN)
    assert call(capsys, "--select", "unknown-key")[1].endswith("1 error in 1 file; `--fix` can mend 1\n")
    assert call(capsys, "--ignore", "unknown-key,unresolved-placeholder")[0] == 0
    assert call(capsys, "--select", "unknwon-key") == (
        2,
        "",
        "rolebook: there is no rule `unknwon-key`; did you mean `unknown-key`?\n",
    )


def test_fix_tells_what_it_did_and_what_remains(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder / "root_agent.yaml", BROKEN + "note: x\n")
    status, out, _ = call(capsys, "--fix")
    assert (status, path.read_text(encoding="utf-8")) == (1, FIXED + "note: x\n")
    assert out.splitlines()[0] == "root_agent.yaml: 2 problems fixed"
    assert out.splitlines()[-1] == "1 warning in 1 file"
    status, out, err = call(capsys, "--fix", "--format", "json")
    assert (status, err, len(json.loads(out)["problems"])) == (1, "", 1)
    write(path, BROKEN)
    status, out, err = call(capsys, "--fix", "--format", "json")
    assert (status, json.loads(out), err) == (0, {"problems": []}, "root_agent.yaml: 2 problems fixed\n")


def test_fix_mends_only_what_is_selected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder / "root_agent.yaml", BROKEN)
    call(capsys, "--fix", "--ignore", "unknown-key")
    assert path.read_text(encoding="utf-8") == BROKEN.replace("usr_name", "user_name")


ENCODINGS = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16, little end first": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "no line end at the end": lambda text: text.rstrip().encode(),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_fix_keeps_the_encoding(encode: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "root_agent.yaml"
    path.write_bytes(encode(BROKEN))
    call(capsys, "--fix")
    assert path.read_bytes() == encode(FIXED)


@pytest.mark.skipif(os.name != "posix", reason="links and permissions as POSIX has them")
def test_fix_keeps_permissions_and_links(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = write(folder / "real" / "x.yaml", BROKEN)
    real.chmod(0o751)
    link = folder / "root_agent.yaml"
    link.symlink_to(real)
    call(capsys, "--fix", link)
    assert link.is_symlink() and real.read_text(encoding="utf-8") == FIXED
    assert stat.S_IMODE(real.stat().st_mode) == 0o751
    assert os.listdir(folder / "real") == ["x.yaml"]


def test_what_cannot_be_written_is_told_and_the_rest_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked, other = write(folder / "a.agent.yaml", BROKEN), write(folder / "b.agent.yaml", BROKEN)
    locked.chmod(0o444)
    status, _, err = call(capsys, "--fix")
    assert (status, err) == (2, "rolebook: a.agent.yaml can't be written: it is read-only\n")
    assert locked.read_text(encoding="utf-8") == BROKEN
    assert other.read_text(encoding="utf-8") == FIXED


def test_a_file_that_has_changed_is_left_alone(folder: Path) -> None:
    path = write(folder / "root_agent.yaml", "new")
    with pytest.raises(Failure, match="has changed while it was checked"):
        rewrite(str(path), "old", "fixed")
    assert (path.read_text(encoding="utf-8"), os.listdir(folder)) == ("new", ["root_agent.yaml"])


def test_a_full_disk_leaves_the_file_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder / "root_agent.yaml", "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Failure, match=r"root_agent\.yaml can't be written: No space left on device"):
        rewrite(str(path), "old", "new")
    assert (path.read_text(encoding="utf-8"), os.listdir(folder)) == ("old", ["root_agent.yaml"])


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, BROKEN.encode())
    assert call(capsys, "-")[1].startswith("<stdin>:2:1: error: ")
    write(folder / "kid.yaml", "name: kid\ndescription: x\n")
    write(folder / "rolebook.toml", '[rules]\nunknown-key = "off"\n')
    standard_input(monkeypatch, b"name: a\nmodl: x\nsub_agents: [{config_path: kid.yaml}, {config_path: gone.yaml}]\n")
    out = json.loads(call(capsys, "-", "--stdin-filename", "root_agent.yaml", "--format", "json")[1])["problems"]
    assert [(problem["file"], problem["rule"]) for problem in out] == [("root_agent.yaml", "missing-file")]


def test_standard_input_that_is_no_definition_has_no_problems(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    standard_input(monkeypatch, b"on: push\n")
    assert call(capsys, "-", "--stdin-filename", folder / "ci.yaml", "--format", "json") == (
        0,
        '{\n  "problems": []\n}\n',
        "",
    )


CANNOT = {
    "a missing path": (["gone.yaml"], "there is no file gone.yaml"),
    "a folder without definitions": (["empty"], "empty holds no definitions"),
    "bytes that are no text, from standard input": (["-"], "standard input can't be read: line 1 holds bytes"),
    "standard input beside a file": (["-", "a.agent.yaml"], "`-` stands alone"),
    "standard input to be fixed": (["-", "--fix"], "`--fix` writes files"),
    "a name without standard input": (["--stdin-filename", "x"], "`--stdin-filename` goes with `-`"),
}


@pytest.mark.parametrize(("args", "told"), CANNOT.values(), ids=CANNOT)
def test_what_cannot_be_done(
    args: list[str], told: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "empty").mkdir()
    standard_input(monkeypatch, b"\xff")
    status, out, err = call(capsys, *args)
    assert (status, out) == (2, "")
    assert err.startswith(f"rolebook: {told}") and err.count("\n") == 1


def test_what_is_there_is_checked_even_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "a.agent.yaml", "name: a\nmodl: x\n")
    status, out, err = call(capsys, "gone.yaml", "a.agent.yaml")
    assert (status, err) == (2, "rolebook: there is no file gone.yaml\n")
    assert "[unknown-key]" in out


def test_settings_that_cannot_be_read_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", FIXED)
    (folder / "rolebook.toml").write_bytes(b"\xff")
    status, out, _ = call(capsys)
    assert status == 1 and "rolebook.toml:1:1: error: this file can't be read" in out


def test_control_characters_reach_no_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "root_agent.yaml", "name: a\n'k\x1b]0;x\x07': \x9b2J\n\"\\x1b[31m\": 1\n")
    for form in ("text", "json", "sarif", "github"):
        out = call(capsys, "--format", form)[1]
        assert not {"\x1b", "\x07", "\x9b"} & set(out), form


@pytest.fixture
def many(folder: Path) -> list[str]:
    for number in range(24):
        kids = "".join(f"  - config_path: kid{kid}.yaml\n" for kid in range(number % 3))
        write(folder / f"d{number}" / "root_agent.yaml", f"name: a\nmodl: {number}\nsub_agents:\n{kids}")
        for kid in range(number % 3):
            write(folder / f"d{number}" / f"kid{kid}.yaml", "name: kid\ninstruction: '{x}'\n")
    return sorted(str(path) for path in folder.rglob("*.yaml"))


def expected(paths: list[str], root: Path) -> list[Any]:
    snapshot = Snapshot(DiskFiles(), str(root))
    return [problem for path in paths for problem in check_file(snapshot, path)]


@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_find_the_same_in_the_same_order(many: list[str], folder: Path, processes: int) -> None:
    shuffled = many[::2] + many[1::2]
    assert parallel.check_files(Snapshot(DiskFiles(), str(folder)), shuffled, processes) == expected(shuffled, folder)


def test_the_share_of_a_process_that_dies_is_checked_here(
    many: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for broken in ("/no/such/python", sys.executable):
        monkeypatch.setattr(sys, "executable", broken)
        monkeypatch.setattr(parallel, "__name__", "no.such.module")
        found = parallel.check_files(Snapshot(DiskFiles(), str(folder)), many, 3)
        assert found == expected(many, folder)


def test_ctrl_c_ends_the_other_processes(many: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = parallel._start
    monkeypatch.setattr(parallel, "_start", lambda *args: started.append(start(*args)) or started[-1])

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "check_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        parallel.check_files(Snapshot(DiskFiles(), str(folder)), many, 2)
    assert [process.poll() is not None for process in started if process] == [True]


def test_few_files_take_no_other_process(many: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_start", lambda *_: pytest.fail("a process was started"))
    assert parallel.check_files(Snapshot(DiskFiles(), str(folder)), many) == expected(many, folder)


def command(*args: object, shell: str = "", cwd: Path) -> subprocess.CompletedProcess[str]:
    words = " ".join([sys.executable, "-m", "rolebook_cli", *(str(arg) for arg in args), shell])
    return subprocess.run(["bash", "-c", words], capture_output=True, text=True, cwd=cwd, check=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("shell", "status", "err"),
    [
        ("> /dev/full", 2, "rolebook: the output can't be used: No space left on device\n"),
        (">&-", 1, ""),
        ("2>&-", 1, ""),
        ("| true; exit ${PIPESTATUS[0]}", None, ""),
    ],
)
def test_output_that_goes_nowhere(shell: str, status: int | None, err: str, folder: Path) -> None:
    write(folder / "root_agent.yaml", "name: a\n" + "".join(f"note{n}: 1\n" for n in range(1000)))
    done = command("check", shell=shell, cwd=folder)
    assert done.stderr == err
    assert status is None or done.returncode == status


@pytest.mark.skipif(os.name != "posix", reason="a folder in use can be deleted on POSIX only")
def test_a_current_folder_that_is_gone(folder: Path) -> None:
    path = write(folder / "root_agent.yaml", FIXED)
    (folder / "gone").mkdir()
    done = command("check", shell="; exit $?", cwd=folder / "gone")
    assert done.returncode == 2
    words = f"rmdir ../gone; {sys.executable} -m rolebook_cli check"
    gone = subprocess.run(["bash", "-c", words], capture_output=True, text=True, cwd=folder / "gone", check=False)
    assert (gone.returncode, gone.stderr) == (2, "rolebook: the current folder doesn't exist any more\n")
    (folder / "gone").mkdir()
    fine = subprocess.run(
        ["bash", "-c", f"{words} {path}"], capture_output=True, text=True, cwd=folder / "gone", check=False
    )
    assert (fine.returncode, fine.stdout, fine.stderr) == (0, "no problems in 1 file\n", "")


def test_modules_in_the_current_folder_are_not_imported(many: list[str], folder: Path) -> None:
    for name in ("json", "pickle", "argparse", "subprocess", "rolebook", "yaml", "re"):
        write(folder / f"{name}.py", "raise SystemExit(77)\n")
    done = command("check", "--format", "json", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    process = parallel._start(str(folder), many)
    assert process is not None
    with process:
        assert parallel._result(process) is not None
