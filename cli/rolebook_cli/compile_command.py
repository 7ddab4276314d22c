"""`rolebook compile`: the request of every agent of a tree, or exactly one provider's body, as a run would send it."""

from __future__ import annotations

import argparse
import json
import sys

from rolebook.prompt.compile import Compilation
from rolebook_cli.output import paint, visible
from rolebook_cli.project import open_tree
from rolebook_cli.requests import add_arguments, print_errors, requests


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser)
    parser.add_argument(
        "--for",
        dest="provider",
        choices=("gemini", "anthropic", "openai"),
        help="print one HTTP body as it is sent for streaming",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    snapshot, tree = open_tree(args.path)
    made = requests(args, snapshot, tree, one=args.provider is not None)
    if args.provider is not None:
        for request in made:
            _print_body(request.compilation, args.provider)
    elif args.format == "json":
        found = [{"agent": each.place.agent.name, **each.compilation.request.to_json()} for each in made]
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        from rolebook_cli.compiled_text import compiled_text

        for number, request in enumerate(made):
            print(("\n" if number else "") + compiled_text(request, tree.config))
    return print_errors(snapshot, tree)


def _print_body(compilation: Compilation, provider: str) -> None:
    """The body's bytes, and nothing else unless a person is looking; what the provider can't honour goes to stderr."""
    from rolebook import wire

    made = wire.body(compilation.request, provider)  # type: ignore[arg-type]
    for warning in made.warnings:
        print(f"{paint('warning', 'yellow', stream=sys.stderr)}: {visible(warning)}", file=sys.stderr)
    sys.stdout.flush()
    sys.stdout.buffer.write(wire.encode(made.payload) + (b"\n" if sys.stdout.isatty() else b""))
