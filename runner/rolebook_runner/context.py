"""What the user's functions get as `context`: tools and instruction providers alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rolebook.json import JsonValue
from rolebook.prompt.events import Event, EventId
from rolebook_runner.memory.memory import UserMemory
from rolebook_runner.sessions.state import ToolState


@dataclass(slots=True)
class Context:
    """The run as one call of a user's function sees it.

    A tool's `state` is written like a dictionary, and what it wrote is stored with its response. A provider's is read
    only. `events` are those of the session before the call. `await memory.search(query)` finds what the user said and
    was told in past turns, of any session. Setting `escalate` ends the LoopAgent around the agent.
    """

    state: ToolState | Mapping[str, JsonValue]
    events: tuple[Event, ...]
    agent: str
    branch: str
    session: str
    user_id: str
    app_name: str
    invocation: EventId
    memory: UserMemory
    now: datetime = field(default_factory=lambda: datetime.now().astimezone())
    escalate: bool = False
