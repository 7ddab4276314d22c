"""`rolebook lsp`: the language server on standard input and output."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="the default; editors add it by themselves")
    parser.add_argument("--clientProcessId", metavar="PID", help=argparse.SUPPRESS)


def run(_: argparse.Namespace) -> int:
    from rolebook_server.lsp.server import serve

    serve()
    return 0
