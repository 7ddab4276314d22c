"""The child process: llama.cpp's server for one file, until the parent is gone. Run by path; imports nothing of ours.

One line of JSON comes in (`path`, `key`, `context`, `threads`, `gpu_layers`, `template`), one goes out (`url`) once the
model is loaded. Standard error holds what llama.cpp says. The end of standard input is the end of the parent.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

_SLOTS = 4  # requests at once, as in llama.cpp's own server; they share the context


def main() -> None:
    given = json.loads(sys.stdin.buffer.readline())
    _end_with_the_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    server = _server(given)
    answers.write(json.dumps({"url": server.listening_address}) + "\n")
    answers.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # nothing is worth keeping, and threads of the server may be busy for minutes


def _end_with_the_parent() -> None:
    """Loading holds Python's lock, so nothing of ours would see the parent go: the kernel's signal ends us then."""
    if os.name != "posix":
        return
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:  # it went before the kernel was asked
        os._exit(0)


def _server(given: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = given["path"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [given["key"]]
    params.n_ctx = given["context"] or 0
    params.n_parallel = _SLOTS
    params.kv_unified = True
    params.verbosity = 1  # errors
    params.ui = False
    params.offline = True
    if given["threads"]:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given["threads"]
    if given["gpu_layers"] is not None:
        params.n_gpu_layers = given["gpu_layers"]
    if given["template"]:
        params.chat_template = given["template"]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
