"""`rolebook lsp`: the language server on standard input and output, or where the editor listens."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="the default; editors add it by themselves")
    parser.add_argument("--socket", type=int, metavar="PORT", help="connect to the editor on this port")
    parser.add_argument("--pipe", metavar="NAME", help="connect to the editor on this Unix socket or named pipe")
    parser.add_argument("--clientProcessId", metavar="PID", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    from rolebook_server.lsp import start

    if args.socket is not None:
        return start.serve_socket(args.socket)
    if args.pipe is not None:
        return start.serve_pipe(args.pipe)
    return start.serve_stdio()
