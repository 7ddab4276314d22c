"""`rolebook schema`: the JSON Schema of definitions, for editors and tools without Rolebook's language server."""

from __future__ import annotations

import argparse
import json

from rolebook.definition.json_schema import definition_schema


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        f"{parser.epilog}\n\n"
        "In an editor with yaml-language-server, name the file on the first line of a definition:\n"
        "  # yaml-language-server: $schema=definition.schema.json"
    )


def run(args: argparse.Namespace) -> int:  # noqa: ARG001  every command takes its arguments
    print(json.dumps(definition_schema(), indent=2, ensure_ascii=False))
    return 0
