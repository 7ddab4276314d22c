#!/usr/bin/env python3
"""How quick the language server is, as a client over stdio sees it. Answers are checked; no time decides anything.

    benchmarks/server.py [--files 10000] [--edits 20] [--hovers 200]

Times are milliseconds on the clock; beside them stands what the server's process took of the processor (Linux), which
a busy machine distorts less.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/lsp"))

from strict import StrictClient, strict_client

PUBLISHED = "textDocument/publishDiagnostics"


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (("files", 10_000), ("edits", 20), ("hovers", 200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    print(f"{'':44}{'median':>9}{'p95':>9}{'worst':>9}{'CPU':>9}   ms   memory")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["ROLEBOOK_CACHE"] = cache
        start()
        for lines in (20, 200, 1_000):
            edit_to_diagnostics(lines, args.edits)
        hover_while_indexing(args.files, args.hovers)


def start() -> None:
    """Spawn to the answer of `initialize`."""
    times, cpu = [], []
    for _ in range(10):
        began = time.perf_counter()
        with strict_client() as client:
            answer = client.initialize()
            times.append(time.perf_counter() - began)
            cpu.append(cpu_seconds(client))
            assert answer["capabilities"]["hoverProvider"]
            assert client.exit() == 0
    show("spawn to initialize", times, statistics.median(cpu), "")


def edit_to_diagnostics(lines: int, edits: int) -> None:
    """A didChange to the diagnostics of its version. Each edit adds a placeholder that nothing sets."""
    with workspace({"root_agent.yaml": definition(lines)}) as (client, folder):
        uri = (folder / "root_agent.yaml").as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 0, "text": definition(lines)}
        client.notify("textDocument/didOpen", {"textDocument": document})
        while unresolved(client.notification(PUBLISHED, uri=uri)) != lines:
            pass
        times, before = [], cpu_seconds(client)
        for number in range(1, edits + 1):
            place = {"line": 4 + number, "character": 4}
            change = {"range": {"start": place, "end": place}, "text": f"{{more{number}}} "}
            began = time.perf_counter()
            versioned = {"uri": uri, "version": number}
            client.notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": [change]})
            while unresolved(client.notification(PUBLISHED, uri=uri, version=number)) != lines + number:
                pass
            times.append(time.perf_counter() - began)
        show(f"edit to diagnostics, {lines} lines", times, (cpu_seconds(client) - before) / edits, memory(client))
        assert client.exit() == 0


def hover_while_indexing(count: int, hovers: int) -> None:
    """A hover every 20 ms from the start, while the problems of a workspace are worked out."""
    files = {f"team{n // 100}/a{n}.agent.yaml": definition(3, f"a{n}") for n in range(count)}
    with workspace(files) as (client, folder):
        began = time.perf_counter()
        uri = (folder / "team0/a0.agent.yaml").as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 0, "text": definition(3, "a0")}
        client.notify("textDocument/didOpen", {"textDocument": document})
        asked = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 7}}
        client.request("textDocument/hover", asked)  # loads what a hover needs
        times = []
        for _ in range(hovers):
            at = time.perf_counter()
            answer = client.request("textDocument/hover", asked)
            times.append(time.perf_counter() - at)
            assert "You are a0." in answer["contents"]["value"]
            time.sleep(0.02)
        told = {each["params"]["uri"] for each in client.notifications if each["method"] == PUBLISHED}
        while len(told) < count:
            found = client.notification(PUBLISHED)
            assert unresolved(found) == 3
            told.add(found["uri"])
        whole = time.perf_counter() - began
        show(f"hover while {count:,} files are indexed", times, None, "")
        show(f"all problems of {count:,} files", [whole], cpu_seconds(client), memory(client))
        while not list(Path(os.environ["ROLEBOOK_CACHE"]).glob("problems/*.json")):
            time.sleep(0.1)
        assert client.exit() == 0
        with strict_client() as again:
            began = time.perf_counter()
            again.initialize(workspaceFolders=[{"uri": folder.as_uri(), "name": "w"}])
            told = {again.notification(PUBLISHED)["uri"] for _ in range(count)}
            assert len(told) == count
            show("the same in the next session", [time.perf_counter() - began], cpu_seconds(again), memory(again))
            assert again.exit() == 0


def definition(lines: int, name: str = "root") -> str:
    text = "".join(f"  Line {n}: greet {{undefined{n}}} and go on with some words.\n" for n in range(lines))
    return f"name: {name}\nmodel: gemini-2.5-flash\ndescription: Greets.\ninstruction: |\n  Begin.\n{text}"


def unresolved(published: dict[str, Any]) -> int:
    return sum(each["code"] == "unresolved-placeholder" for each in published["diagnostics"])


@contextmanager
def workspace(files: dict[str, str]) -> Iterator[tuple[StrictClient, Path]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in {"rolebook.toml": "", **files}.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        with strict_client() as client:
            client.initialize(workspaceFolders=[{"uri": folder.as_uri(), "name": "w"}])
            yield client, folder


def cpu_seconds(client: StrictClient) -> float | None:
    """The processor's time that the server has taken, in seconds; None where the system doesn't say."""

    def read() -> float:
        fields = Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    return _or_none(read)


def memory(client: StrictClient) -> str:
    """The most memory that the server has held."""

    def read() -> str:
        lines = Path(f"/proc/{client.process.pid}/status").read_text().splitlines()
        return next(f"{int(line.split()[1]) >> 10} MB" for line in lines if line.startswith("VmHWM"))

    return _or_none(read) or ""


def _or_none(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except OSError:
        return None


def show(name: str, seconds: list[float], cpu: float | None, more: str) -> None:
    ordered = sorted(each * 1000 for each in seconds)
    shown = (statistics.median(ordered), ordered[int(len(ordered) * 0.95) - 1], ordered[-1])
    print(f"{name:44}{''.join(f'{each:9.1f}' for each in shown)}{f'{cpu * 1000:9.1f}' if cpu else ' ' * 9}   {more}")


if __name__ == "__main__":
    main()
