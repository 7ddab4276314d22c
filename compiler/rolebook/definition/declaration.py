"""A tool as a model is told of it, whether a definition, a function's source or a running function said so."""

from __future__ import annotations

from typing import Any

from rolebook.json import JsonObject
from rolebook.record import Record


class Declaration(Record):
    """`parameters` is the JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonObject

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
