"""The providers' request bodies as JSON Schemas (`tests/data/wire/schemas`), and what a body violates."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from rolebook import wire

DATA = Path(__file__).parents[1] / "data" / "wire"


@cache
def _validator(provider: wire.Provider, definition: str = "") -> Draft202012Validator:
    schema = json.loads((DATA / "schemas" / f"{provider}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    if definition:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    return Draft202012Validator(schema)


def violations(provider: wire.Provider, payload: Any, definition: str = "") -> list[str]:
    """What in a body its provider's schema refuses, each with its place; `definition` names another body's schema."""
    return [
        f"{error.json_path}: {error.message[:200]}" for error in _validator(provider, definition).iter_errors(payload)
    ]
