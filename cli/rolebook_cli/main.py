"""Picks the command and loads its module alone, so that `rolebook check` never pays for the server or the network."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from rolebook_cli.output import Failure, visible


class Command(NamedTuple):
    """A row of the table of commands; the module has `arguments(parser)` and `run(args) -> exit status`."""

    name: str
    summary: str
    example: str


COMMANDS = (
    Command("check", "find what is wrong in definitions", "rolebook check agents/"),
    Command("compile", "print the LLM request that an agent compiles to", "rolebook compile agents/ --state user=Ann"),
    Command("tokens", "count the tokens of each part of a request", "rolebook tokens agents/ --agent weather"),
    Command("graph", "draw an agent tree with its transfers", "rolebook graph agents/ --format text"),
    Command("run", "run an agent tree; without a message, chat with it", 'rolebook run agents/ "Weather in NYC?"'),
    Command("sessions", "list, show, export, delete and replay sessions", "rolebook sessions show 3f2a"),
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
    _open_closed_streams()
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
        # Only so may options stand between PATH and MESSAGE; a parser of subcommands can't do it.
        parse = parser.parse_intermixed_args if command.name == "run" else parser.parse_args
        status = module.run(parse(argv[1:]))
        sys.stdout.flush()  # a reader that is gone is noticed here rather than at exit
        return status
    except Failure as failure:
        for message in failure.args:
            print(f"rolebook: {visible(message)}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        _drop_output()
        print(f"rolebook: {visible(_what_failed(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _open_closed_streams() -> None:
    """Puts a stream to nowhere in the place of one that was closed when the command started (`>&-`)."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  it lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _drop_output() -> None:
    """What is still to be written goes nowhere, or the interpreter would try once more at exit, and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _what_failed(error: OSError) -> str:
    """A sentence for an error that no command expects: output that can't be written, a current folder that is gone."""
    try:
        os.getcwd()
    except OSError:
        return "the current folder doesn't exist any more"
    what = f"`{error.filename}`" if error.filename is not None else "the output"
    return f"{what} can't be used: {error.strerror or error}"


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
        print(f"rolebook: there is no command `{visible(argv[0])}`{hint}", file=sys.stderr)
    print(usage, file=sys.stderr)
    return 2
