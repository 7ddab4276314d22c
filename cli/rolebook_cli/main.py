"""Picks the command and loads its module alone, so that `rolebook check` never pays for the server or the network."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from rolebook_cli.output import Failure


class Command(NamedTuple):
    """A row of the table of commands; the module has `arguments(parser)` and `run(args) -> exit status`."""

    name: str
    summary: str
    example: str


COMMANDS = (
    Command("check", "find what is wrong in definitions", "rolebook check agents/"),
    Command("compile", "print the LLM request that an agent compiles to", "rolebook compile agents/ --state user=Ann"),
    Command("graph", "draw an agent tree with its transfers", "rolebook graph agents/ --format text"),
    Command("run", "run an agent tree; without a message, chat with it", 'rolebook run agents/ "Weather in NYC?"'),
    Command("explain", "print the page of a rule", "rolebook explain unresolved-placeholder"),
    Command("schema", "print the JSON Schema of definitions", "rolebook schema > definition.schema.json"),
    Command("lsp", "start the language server on standard input and output", "rolebook lsp"),
)  # fmt: skip


class CommandModule(Protocol):
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(argv: list[str] | None = None) -> int:
    """Runs the command line and gives its exit status: 2 where it could not be done at all."""
    argv = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    command = next((command for command in COMMANDS if argv and command.name == argv[0]), None)
    if command is None:
        return _no_command(argv)
    try:
        module = cast(CommandModule, import_module(f"rolebook_cli.{command.name}_command"))
        parser = argparse.ArgumentParser(
            prog=f"rolebook {command.name}",
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog=f"example: {command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(parser)
        status = module.run(parser.parse_args(argv[1:]))
        sys.stdout.flush()  # a reader that is gone is noticed here rather than at exit
        return status
    except Failure as failure:
        print(f"rolebook: {failure}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at exit
        return 141
    except KeyboardInterrupt:
        return 130


def _no_command(argv: list[str]) -> int:
    if argv[:1] == ["--version"]:
        from importlib.metadata import version

        print(f"rolebook {version('rolebook')}")
        return 0
    width = max(len(command.name) for command in COMMANDS)
    rows = [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS]
    usage = "\n".join(
        ["usage: rolebook COMMAND …", "", *rows, "", "`rolebook COMMAND --help` says more; `rolebook --version`."]
    )
    if argv[:1] in (["-h"], ["--help"]):
        print(usage)
        return 0
    if argv:
        from rolebook.definition.names import did_you_mean

        hint = did_you_mean(argv[0], [command.name for command in COMMANDS])
        print(f"rolebook: there is no command `{argv[0]}`{hint}", file=sys.stderr)
    print(usage, file=sys.stderr)
    return 2
