"""`rolebook schema` prints one JSON document, whatever the terminal."""

from __future__ import annotations

import json
import subprocess
import sys

from rolebook.definition.json_schema import definition_schema


def test_it_prints_the_schema() -> None:
    done = subprocess.run([sys.executable, "-m", "rolebook_cli", "schema"], capture_output=True, check=True)
    assert json.loads(done.stdout.decode("utf-8")) == json.loads(json.dumps(definition_schema()))
    assert done.stderr == b""


def test_help_says_how_an_editor_uses_it() -> None:
    done = subprocess.run([sys.executable, "-m", "rolebook_cli", "schema", "--help"], capture_output=True, check=True)
    assert b"example: rolebook schema > definition.schema.json" in done.stdout
    assert b"yaml-language-server: $schema=" in done.stdout
