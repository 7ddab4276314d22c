"""Many files are checked in several processes. Each reads its own share of the files; what they find is pickled.

A share is a run of neighbouring paths, so that the files of a tree mostly meet in one process. Where a process can't be
started, or dies, its share is checked here: the results are those of one process, in the same order.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rolebook.problem import Problem
from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file

if TYPE_CHECKING:
    import subprocess

LEAST_FILES = 400
"""Files that are worth one more process: it takes about 0.3 s of processor time to start, a file takes 1.6 ms."""
_MOST_PROCESSES = 8


def check_files(snapshot: Snapshot, paths: Sequence[str], processes: int | None = None) -> list[Problem]:
    """The problems of all files, in the order of the paths. `processes` is how many may be used, this one included."""
    if processes is None:
        processes = min(_processors(), _MOST_PROCESSES, len(paths) // LEAST_FILES + 1)
    if processes < 2 or not isinstance(snapshot.files, DiskFiles):
        return [problem for path in paths for problem in check_file(snapshot, path)]
    own, *others = _shares(sorted(paths), snapshot, processes)
    started = [(share, _start(snapshot.root, share)) for share in others]
    found: dict[str, Sequence[Problem]] = {}
    try:
        found |= _check(snapshot, own)
        for share, process in started:
            found |= _result(process) or _check(snapshot, share)
    finally:
        for _, process in started:
            if process is not None:
                process.kill()
                with process:  # closes its pipes and waits for its end
                    pass
    return [problem for path in paths for problem in found[path]]


def _check(snapshot: Snapshot, paths: Sequence[str]) -> dict[str, Sequence[Problem]]:
    return {path: check_file(snapshot, path) for path in paths}


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shares(paths: list[str], snapshot: Snapshot, processes: int) -> list[list[str]]:
    """Runs of `paths` of about the same weight, as many as there are processes."""
    weights = [500 + len(text) if isinstance(text := snapshot.read(path), str) else 0 for path in paths]
    total, done = sum(weights) or 1, 0
    shares: list[list[str]] = [[] for _ in range(processes)]
    for path, weight in zip(paths, weights, strict=True):
        shares[min(done * processes // total, processes - 1)].append(path)
        done += weight
    return shares


def _start(root: str, share: list[str]) -> subprocess.Popen[bytes] | None:
    """A process that checks its share; `-P` keeps the current folder's modules out of it."""
    import pickle
    import subprocess

    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, ValueError):
        return None
    assert process.stdin is not None
    try:
        process.stdin.write(pickle.dumps((root, share)))
        process.stdin.close()
    except OSError:  # it is gone already, and has no result
        pass
    return process


def _result(process: subprocess.Popen[bytes] | None) -> dict[str, Sequence[Problem]] | None:
    import pickle

    if process is None or process.stdout is None:
        return None
    data = process.stdout.read()
    if process.wait() != 0:
        return None
    result: dict[str, Sequence[Problem]] = pickle.loads(data)
    return result


def _work() -> None:
    import pickle

    root, share = pickle.load(sys.stdin.buffer)
    found = _check(Snapshot(DiskFiles(), root), share)
    sys.stdout.buffer.write(pickle.dumps(found))


if __name__ == "__main__":
    _work()
