"""`LlmRequest`: everything that one model call is made from, independent of any provider (spec §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rolebook.definition.declaration import Declaration
from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.messages import Message
from rolebook.record import Record, field

__all__ = ["Declaration", "Hole", "LlmRequest"]


class Hole(Record):
    """A tool or schema that only a run can know (spec §3), by the name that every view shows."""

    name: str

    def to_json(self) -> dict[str, Any]:
        return {"hole": self.name}


class LlmRequest(Record):
    """One request. `instruction` is the static half, then the dynamic one, joined by a blank line.

    `generate_content_config` uses snake_case names. `model` is None where none is given anywhere.
    """

    model: str | None
    instruction: str
    static_system_instruction: str
    dynamic_system_instruction: str
    messages: tuple[Message, ...]
    tools: tuple[Declaration | Hole, ...] = ()
    generate_content_config: Mapping[str, JsonValue] = field(default_factory=dict)
    output_schema: JsonObject | Hole | None = None

    def to_json(self) -> dict[str, Any]:
        """The JSON object under the names of spec §6."""
        schema = self.output_schema
        return {
            "model": self.model,
            "instruction": self.instruction,
            "static_system_instruction": self.static_system_instruction,
            "dynamic_system_instruction": self.dynamic_system_instruction,
            "messages": [message.to_json() for message in self.messages],
            "tools": [tool.to_json() for tool in self.tools],
            "generate_content_config": dict(self.generate_content_config),
            "output_schema": schema.to_json() if isinstance(schema, Hole) else schema,
        }
