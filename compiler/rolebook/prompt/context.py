"""What a request is compiled from besides the agent: state, artifacts, and what only a run can obtain."""

from __future__ import annotations

from collections.abc import Mapping

from rolebook.json import JsonObject, JsonValue
from rolebook.prompt.request import Declaration
from rolebook.record import Record, field


class Context(Record):
    """The inputs of one compilation. The runner fills them by running the user's code; editor and `check` don't.

    `state` has scoped keys with their prefix (`user:lang`). `provided` holds the text of each provider function by its
    label, `listed` the tools of each tool-list function by its label, `schemas` the JSON Schema of each pydantic model
    by its dotted name, and `declarations` those of tools by the name that the definition gives them. What is missing
    in these four becomes a named hole.
    """

    state: Mapping[str, JsonValue] = field(default_factory=dict)
    artifacts: Mapping[str, str] = field(default_factory=dict)
    provided: Mapping[str, str] = field(default_factory=dict)
    listed: Mapping[str, tuple[Declaration, ...]] = field(default_factory=dict)
    schemas: Mapping[str, JsonObject] = field(default_factory=dict)
    declarations: Mapping[str, Declaration] = field(default_factory=dict)
