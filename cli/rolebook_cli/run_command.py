"""`rolebook run`: one turn of an agent tree, or a chat. Answers go to standard output, notices to standard error."""

from __future__ import annotations

import argparse
import logging
import sys
from contextlib import ExitStack

from rolebook_cli.output import Failure
from rolebook_cli.requests import print_problems
from rolebook_cli.running.opening import Run, TreeErrors, open_run
from rolebook_cli.storage import STORE_HELP


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a definition, or a folder with a root_agent.yaml")
    parser.add_argument("message", nargs="?", metavar="MESSAGE", help="what the user says; without it, a chat begins")
    parser.add_argument("--model", help="a model instead of the definition's; `rehearsal` needs no key and no network")
    parser.add_argument("--session", metavar="ID", help="the session to go on with, or to start under this name")
    parser.add_argument("--store", help=STORE_HELP)
    parser.add_argument("--state", action="append", default=[], metavar="KEY=VALUE", help="a state value: JSON or text")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="a generation setting")
    parser.add_argument("--record", metavar="FILE", help="write what goes to the models and comes back, without keys")
    parser.add_argument("--replay", metavar="FILE", help="answer from such a file, without a network")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print what happens as JSON lines")
    form.add_argument("--protocol", action="store_true", help="be driven by an editor: docs/run-protocol.md")


def run(args: argparse.Namespace) -> int:
    logging.getLogger("rolebook").addHandler(logging.NullHandler())  # what is worth knowing comes as a signal
    if args.protocol:
        from rolebook_cli.running.protocol import serve

        return serve(args)
    from rolebook_runner.errors import RunError

    try:
        opened = open_run(args)
    except TreeErrors as errors:
        print_problems(errors.snapshot, errors.problems)
        print(f"rolebook: {errors}", file=sys.stderr)
        return 1
    try:
        status = _talk(args, opened)
    except RunError as error:
        raise Failure(str(error)) from None
    if left := opened.left_to_replay:
        print(f"{left} of the recorded requests {'was' if left == 1 else 'were'}n't made", file=sys.stderr)
    return status


def _talk(args: argparse.Namespace, opened: Run) -> int:
    from rolebook_cli.running.chat import chat, json_chat, one_turn
    from rolebook_cli.running.reading import Piped, is_interactive
    from rolebook_cli.running.streams import own_input, own_output

    with ExitStack() as stack:
        if args.message is None and not args.json and is_interactive():
            from rolebook_cli.running.terminal import Terminal

            return chat(opened, Terminal(_data_folder()), sys.stdout)
        plain = not args.json and sys.stdout.isatty()
        out = sys.stdout if plain else stack.enter_context(own_output())
        if args.message is not None:
            return one_turn(opened, args.message, out, as_json=args.json)
        lines = Piped(stack.enter_context(own_input()))
        if args.json:
            return json_chat(opened, lambda: lines.ask_line(""), out)
        return chat(opened, lines, out)


def _data_folder() -> str:
    import os

    from rolebook_runner.sessions.location import default_path

    return os.path.dirname(default_path())
